/** Counters as graphs: a line that holds each value until the next, with the range where a pixel has several. */
import { css, palette } from "./colour";
import type { Sampled, Series } from "./counters";
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import type { TrackRow } from "./layout";
import { cropped, type Ink } from "./paint";
import { theme } from "../theme";
import { xOf } from "./viewport";

const ROOM = 3;
/** Places in the palette, far from each other, for the series of one counter. */
const STRIDE = 7;

export function drawGraphs(context: CanvasRenderingContext2D, engine: Engine, ink: Ink, frame: Frame): void {
  const sampled = engine.counters.shown;
  for (const row of frame.rows) {
    if (row.kind !== "track" || row.track.kind !== "counter") continue;
    const series = sampled?.series.filter(({ track }) => track === row.track.id) ?? [];
    const range = rangeOf(series);
    const colours = palette(theme.value);
    for (const [i, each] of series.entries()) {
      const colour = css(colours[(48 + i * STRIDE) % colours.length] as number);
      if (sampled && range) drawSeries(context, frame, row, sampled, each, range, colour);
    }
    const text = range
      ? `${short(range[0])} to ${short(range[1])}`
      : sampled
        ? "no numbers were recorded"
        : "";
    context.fillStyle = ink.muted;
    context.fillText(
      cropped(context, text, frame.view.width),
      6,
      row.y - frame.scrollTop + 8 * engine.unit.value,
    );
  }
}

/** Lowest and highest value of a counter, with zero among them; null where there is no number. */
export function rangeOf(series: readonly Series[]): [number, number] | null {
  const known = series.flatMap(({ low, high }) => (low === null || high === null ? [] : [low, high]));
  return known.length ? [Math.min(0, ...known), Math.max(0, ...known)] : null;
}

function drawSeries(
  context: CanvasRenderingContext2D,
  { view, scrollTop }: Frame,
  row: TrackRow,
  { start, bin, end }: Sampled,
  series: Series,
  [low, high]: [number, number],
  colour: string,
): void {
  const top = row.y - scrollTop + ROOM;
  const tall = row.laneHeight * row.track.lanes - 2 * ROOM;
  const yOf = (value: number): number => top + tall * (1 - (value - low) / (high - low || 1));
  context.fillStyle = colour;
  const { columns, lowest, highest, last } = series;
  for (const [i, place] of columns.entries()) {
    const x = xOf(view, start + place * bin);
    const until = Math.min(
      xOf(view, i + 1 < columns.length ? start + (columns[i + 1] as number) * bin : end),
      view.width,
    );
    const [value, least, most] = [last[i], lowest[i], highest[i]];
    if (until < 0 || x > view.width || value == null) continue;
    const from = Math.max(x, 0);
    context.globalAlpha = 0.25;
    context.fillRect(from, yOf(value), until - from, yOf(low) - yOf(value));
    context.globalAlpha = 1;
    context.fillRect(from, yOf(value) - 0.75, Math.max(until - from, 1), 1.5);
    if (least != null && most != null && most > least)
      context.fillRect(x, yOf(most), 1, Math.max(yOf(least) - yOf(most), 1));
  }
}

const short = (value: number): string =>
  value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });
