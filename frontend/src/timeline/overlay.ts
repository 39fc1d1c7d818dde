/** On top of the events: their names, the selection, the measured interval and marks. */
import { drawArrows } from "./arrows";
import { textOn } from "./colour";
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import type { Span } from "./state";
import { drawGraphs } from "./graphs";
import type { TrackRow } from "./layout";
import { drawLone } from "./lone";
import type { Section } from "./model";
import { cropped, prepared, type Ink } from "./paint";
import type { Slice } from "./raster";
import { formatSpan } from "./ticks";
import { counted, format } from "../units";
import { endOf, xOf } from "./viewport";

const MOST_LABELS = 1500;
const LEAST_WIDTH = 28;
const LEAST_HEIGHT = 13;
const PADDING = 4;
const TEXT = 11;

export function drawOverlay(engine: Engine, canvas: HTMLCanvasElement, ink: Ink, frame: Frame): void {
  const { view, height, ratio } = frame;
  const context = prepared(canvas, view.width, height, ratio);
  context.textBaseline = "middle";
  context.font = `${TEXT * engine.unit.value}px ${ink.font}`;
  drawSections(context, engine, ink, frame);
  drawSteps(context, ink, frame);
  drawGraphs(context, engine, ink, frame);
  drawLone(context, engine, frame, LEAST_HEIGHT * engine.unit.value);
  drawLabels(context, engine, frame);
  drawArea(context, engine, ink, frame);
  drawOutlines(context, engine, ink, frame);
  drawArrows(context, engine, ink, frame);
  drawMeasured(context, engine, ink, frame);
  for (const mark of engine.marks.value) vertical(context, xOf(view, mark), height, ink.warning);
}

function drawSections(
  context: CanvasRenderingContext2D,
  engine: Engine,
  ink: Ink,
  { rows, scrollTop, view }: Frame,
): void {
  for (const row of rows) {
    const y = Math.round(row.y - scrollTop);
    context.fillStyle = ink.line;
    if (row.kind === "section" || row.kind === "idle") {
      context.globalAlpha = 0.35;
      context.fillRect(0, y, view.width, row.height);
      context.globalAlpha = 1;
    }
    context.fillRect(0, y + row.height - 1, view.width, 1);
    if (row.kind !== "section") continue;
    context.fillStyle = ink.muted;
    context.fillText(totalsOf(row.section), 6 * engine.unit.value, y + row.height / 2);
  }
}

export function totalsOf({ tracks, events }: Section): string {
  const busiest = tracks.reduce((most, { busyShare }) => Math.max(most, busyShare), 0);
  const lines = counted(tracks.length, "track");
  const held = counted(events, "event");
  const busy = tracks.length === 1 ? "busy" : "the busiest is busy";
  return `${lines}, ${held}, ${busy} ${format(busiest, "share")} of the time`;
}

/** Where steps begin, while there is room between them. */
function drawSteps(context: CanvasRenderingContext2D, ink: Ink, frame: Frame): void {
  context.globalAlpha = 0.4;
  for (const slice of frame.steps) {
    for (const i of wideEvents(slice, frame)) {
      const x = xOf(frame.view, slice.tile.start + (slice.tile.eventStart[i] as number));
      if (x >= 0) vertical(context, x, frame.height, ink.strong);
    }
  }
  context.globalAlpha = 1;
}

function drawLabels(context: CanvasRenderingContext2D, engine: Engine, frame: Frame): void {
  const names = engine.names.value;
  const { palette, shade } = engine.colours.shading.value;
  let left = MOST_LABELS;
  for (const [row, strips] of frame.strips) {
    if (row.track.kind === "counter" || row.laneHeight < LEAST_HEIGHT * engine.unit.value) continue;
    for (const [lane, slices] of strips.lanes.entries()) {
      const y = row.y - frame.scrollTop + (lane + 0.5) * row.laneHeight;
      if (y < -row.laneHeight || y > frame.height + row.laneHeight) continue;
      let last = -1;
      for (const slice of slices) {
        for (const i of wideEvents(slice, frame)) {
          const id = slice.tile.eventId[i] as number;
          if (id === last) continue; // the same event, seen from the next tile
          last = id;
          const name = slice.tile.eventName[i] as number;
          const pixel = palette[shade(slice.tile).events[i] as number];
          if (pixel === undefined || pixel >>> 24 < 255) continue;
          const [x, end] = visible(frame, slice, i);
          const text = cropped(context, names[name] || "(unnamed)", end - x - 2 * PADDING);
          if (!text) continue;
          if (left-- <= 0) return;
          context.fillStyle = textOn(pixel);
          context.fillText(text, x + PADDING, y + 0.5);
        }
      }
    }
  }
}

/** Events with room for a label. */
function* wideEvents(slice: Slice, { view }: Frame): Generator<number> {
  const { tile, strip } = slice;
  const least = LEAST_WIDTH * view.scale;
  const [from, to] = [
    Math.max(view.start, slice.from) - tile.start,
    Math.min(endOf(view), slice.to) - tile.start,
  ];
  for (let i = strip.eventFrom; i < strip.eventTo; i++) {
    const start = tile.eventStart[i] as number;
    if (start >= to) break;
    const end = tile.eventEnd[i] as number;
    if (end > from && end - start >= least) yield i;
  }
}

function visible({ view }: Frame, { tile }: Slice, i: number): [number, number] {
  const start = xOf(view, tile.start + (tile.eventStart[i] as number));
  const end = xOf(view, tile.start + (tile.eventEnd[i] as number));
  return [Math.max(start, 0), Math.min(end, view.width)];
}

function drawOutlines(context: CanvasRenderingContext2D, engine: Engine, ink: Ink, frame: Frame): void {
  const hover = engine.hover.value;
  const chosen = engine.selected.value;
  for (const [row, strips] of frame.strips) {
    if (hover && hover.row.track.id === row.track.id && hover.lane < strips.lanes.length) {
      outline(context, frame, row, hover.lane, hover.hit, ink.text, 1);
    }
    if (chosen && chosen.track === row.track.id) {
      outline(context, frame, row, chosen.lane, chosen, ink.surface, 4);
      outline(context, frame, row, chosen.lane, chosen, ink.accent, 2);
    }
  }
}

function outline(
  context: CanvasRenderingContext2D,
  { view, scrollTop }: Frame,
  row: TrackRow,
  lane: number,
  span: Span,
  colour: string,
  thickness: number,
): void {
  const x = Math.max(xOf(view, span.start), -9);
  const end = Math.min(xOf(view, span.end), view.width + 9);
  if (end < 0 || x > view.width) return;
  const y = row.y - scrollTop + lane * row.laneHeight;
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.strokeRect(
    Math.round(x) + 0.5 - 1,
    Math.round(y) + 0.5 - 1,
    Math.max(Math.round(end - x), 2) + 1,
    row.laneHeight,
  );
}

function drawArea(context: CanvasRenderingContext2D, engine: Engine, ink: Ink, frame: Frame): void {
  const area = engine.area.value;
  if (!area) return;
  const [x, end] = [xOf(frame.view, area.start), xOf(frame.view, area.end)];
  const inside = new Set(area.tracks);
  context.fillStyle = ink.accent;
  for (const row of frame.strips.keys()) {
    if (!inside.has(row.track.id)) continue;
    context.globalAlpha = 0.13;
    context.fillRect(x, row.y - frame.scrollTop, end - x, row.height);
    context.globalAlpha = 1;
  }
  vertical(context, x, frame.height, ink.accent);
  vertical(context, end, frame.height, ink.accent);
}

function drawMeasured(context: CanvasRenderingContext2D, engine: Engine, ink: Ink, frame: Frame): void {
  const span = engine.measured.value;
  if (!span) return;
  const [x, end] = [xOf(frame.view, span.start), xOf(frame.view, span.end)];
  context.fillStyle = ink.warning;
  context.globalAlpha = 0.1;
  context.fillRect(x, 0, end - x, frame.height);
  context.globalAlpha = 1;
  vertical(context, x, frame.height, ink.warning);
  vertical(context, end, frame.height, ink.warning);
  const text = formatSpan(span.end - span.start);
  const width = context.measureText(text).width + 12;
  const middle = Math.min(Math.max((x + end) / 2 - width / 2, 4), frame.view.width - width - 4);
  context.fillStyle = ink.warning;
  context.fillRect(middle, 6, width, 20 * engine.unit.value);
  context.fillStyle = ink.surface;
  context.fillText(text, middle + 6, 6.5 + 10 * engine.unit.value);
}

function vertical(context: CanvasRenderingContext2D, x: number, height: number, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(Math.round(x) - 0.5, 0, 1, height);
}
