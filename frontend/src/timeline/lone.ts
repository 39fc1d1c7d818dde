/**
 * Events too short to be seen, far from all others of their lane: a pixel as faint as its share of the time is lost on the
 * eye, so they get a mark on top.
 */
import { css } from "./colour";
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import type { Slice } from "./raster";
import type { Shade } from "./renderer";
import { WHOLE, type Tile } from "./tiles";
import { endOf, xOf, type View } from "./viewport";

/** CSS pixels on both sides in which there is nothing else. */
const ALONE = 40;
/** Share of a pixel's time below which it is hard to see. */
const FAINT = 0.25;
/** A lane with more in it than this is seen to be busy. */
const CROWD = 100;
/** CSS pixels. */
const [WIDE, HIGH] = [7, 5];

/** CSS pixels from the left of such an event, and its place in the palette. */
export interface Lone {
  x: number;
  place: number;
}

export function loneOf(slices: readonly Slice[], view: View, shade: (tile: Tile) => Shade): Lone[] {
  const found: { from: number; to: number; place: number | null }[] = [];
  for (const { tile, strip, from, to } of slices) {
    if (strip.eventTo - strip.eventFrom + strip.blockTo - strip.blockFrom > CROWD) return [];
    const put = (start: number, end: number, place: number | null): void => {
      if (end > Math.max(from, view.start) && start < Math.min(to, endOf(view)))
        found.push({ from: xOf(view, start), to: xOf(view, end), place });
    };
    for (let i = strip.blockFrom; i < strip.blockTo; i++) {
      const start = tile.start + (tile.blockColumn[i] as number) * tile.bin;
      const faint = (tile.blockBusy[i] as number) < FAINT * WHOLE;
      put(start, start + tile.bin, faint ? (shade(tile).blocks[i] as number) : null);
    }
    for (let i = strip.eventFrom; i < strip.eventTo; i++)
      put(tile.start + (tile.eventStart[i] as number), tile.start + (tile.eventEnd[i] as number), null);
  }
  found.sort((a, b) => a.from - b.from);
  const lone: Lone[] = [];
  let reach = -Infinity;
  for (const [i, { from, to, place }] of found.entries()) {
    const next = found[i + 1]?.from ?? Infinity;
    if (place !== null && from - reach >= ALONE && next - to >= ALONE) lone.push({ x: from, place });
    reach = Math.max(reach, to);
  }
  return lone;
}

/** Marks them in lanes of at least some height, CSS pixels. */
export function drawLone(
  context: CanvasRenderingContext2D,
  engine: Engine,
  frame: Frame,
  leastHeight: number,
): void {
  const { palette, shade } = engine.colours.shading.value;
  for (const [row, { lanes }] of frame.strips) {
    if (row.track.kind === "counter" || row.laneHeight < leastHeight) continue;
    for (const [lane, slices] of lanes.entries()) {
      const y = row.y - frame.scrollTop + lane * row.laneHeight;
      for (const { x, place } of loneOf(slices, frame.view, shade)) {
        const pixel = palette[place];
        if (pixel === undefined || pixel >>> 24 < 255) continue;
        context.fillStyle = css(pixel);
        const left = Math.round(x);
        context.fillRect(left, y, 1, row.laneHeight - 1);
        context.beginPath();
        context.moveTo(left + 0.5 - WIDE / 2, y);
        context.lineTo(left + 0.5 + WIDE / 2, y);
        context.lineTo(left + 0.5, y + HIGH);
        context.fill();
      }
    }
  }
}
