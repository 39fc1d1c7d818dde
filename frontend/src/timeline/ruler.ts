/** Above the events: the ruler, and the map of the whole profile. */
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import { prepared, type Ink } from "./paint";
import { Raster } from "./raster";
import { byName } from "./shade";
import type { Tile } from "./tiles";
import { formatSpan, formatTime, tickLabel, ticksOf } from "./ticks";
import { endOf, xOf } from "./viewport";

/** Heights and distances at the usual size of text, as in the style sheet. */
const RULER = 24;
const MAP = 40;
const TICK = 90;
/** Width of what stands for the view on the map. */
const LEAST_BOX = 4;

export function drawRuler(engine: Engine, canvas: HTMLCanvasElement, ink: Ink, { view, ratio }: Frame): void {
  const unit = engine.unit.value;
  const height = RULER * unit;
  const context = prepared(canvas, view.width, height, ratio);
  context.font = `${11 * unit}px ${ink.font}`;
  context.textBaseline = "middle";
  const ticks = ticksOf(view.start, view.scale, TICK * unit);
  context.fillStyle = ink.strong;
  const minor = ticks.step / 5;
  for (let time = ticks.first - ticks.step; time < endOf(view); time += minor) {
    if (minor >= 1) context.fillRect(Math.round(xOf(view, time)), height - 4, 1, 4);
  }
  for (let time = ticks.first; time < endOf(view); time += ticks.step) {
    const x = Math.round(xOf(view, time));
    context.fillStyle = ink.strong;
    context.fillRect(x, height - 9, 1, 9);
    context.fillStyle = ink.muted;
    const label = tickLabel(ticks, time);
    if (x + 4 + context.measureText(label).width <= view.width)
      context.fillText(label, x + 4, height / 2 - 1);
  }
  if (ticks.base > 0) {
    const text = formatTime(ticks.base, ticks.step * 1000);
    context.fillStyle = ink.surface;
    context.fillRect(0, 0, context.measureText(text).width + 14, height);
    context.fillStyle = ink.text;
    context.fillText(text, 6, height / 2 - 1);
  }
  const area = engine.area.value;
  for (const [span, colour] of [
    [area, ink.accent],
    [engine.measured.value, ink.warning],
  ] as const) {
    if (!span) continue;
    const [x, end] = [xOf(view, span.start), xOf(view, span.end)];
    context.fillStyle = colour;
    context.fillRect(x, height - 3, Math.max(end - x, 1), 3);
    if (span !== area) continue;
    const text = formatSpan(span.end - span.start);
    const width = context.measureText(text).width;
    const left = Math.min(Math.max((x + end - width) / 2, 4), view.width - width - 8);
    context.fillStyle = ink.surface;
    context.fillRect(left - 4, 2, width + 8, height - 8);
    context.fillStyle = ink.accent;
    context.fillText(text, left, height / 2 - 1);
  }
  context.fillStyle = ink.warning;
  for (const mark of engine.marks.value) {
    const x = xOf(view, mark);
    context.beginPath();
    context.moveTo(x, height);
    context.lineTo(x - 5, height - 8);
    context.lineTo(x + 5, height - 8);
    context.fill();
  }
}

/** How busy devices (upper half) and all else (lower half) are over the whole profile, search hits, and what is in view. */
export function drawMap(engine: Engine, canvas: HTMLCanvasElement, ink: Ink, { view, ratio }: Frame): void {
  const { width } = view;
  const height = MAP * engine.unit.value;
  const context = prepared(canvas, width, height, ratio);
  const scale = Math.max(engine.end, 1) / width;
  const kinds = (["device", "rest"] as const).map((part) =>
    profileOf(engine, part, Math.round(width * ratio)),
  );
  const shown = kinds.filter((profile) => profile !== null);
  const band = (height - 6) / Math.max(shown.length, 1);
  for (const [i, profile] of shown.entries()) {
    const bottom = 3 + (i + 1) * band;
    context.fillStyle = profile === kinds[0] ? ink.device : ink.host;
    // One outline: a rectangle for each column takes longer than all else in a frame.
    context.beginPath();
    context.moveTo(0, bottom);
    for (const [x, busy] of profile.entries()) {
      const top = bottom - (busy > 0 ? Math.max(busy * (band - 2), 1) : 0);
      context.lineTo(x / ratio, top);
      context.lineTo((x + 1) / ratio, top);
    }
    context.lineTo(profile.length / ratio, bottom);
    context.fill();
  }
  const density = engine.density.value;
  context.fillStyle = ink.warning;
  for (const [i, count] of density.entries()) {
    if (count > 0)
      context.fillRect((i / density.length) * width, 0, Math.max(width / density.length, 1.5), 5);
  }
  const left = Math.min(Math.max(view.start / scale, 0), width - LEAST_BOX);
  const right = Math.min(endOf(view) / scale, width);
  context.globalAlpha = 0.55;
  context.fillStyle = ink.surface;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = ink.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(right - left - 1.5, LEAST_BOX - 1.5), height - 1.5);
}

const profiles = new WeakMap<Tile, Map<string, Float32Array | null>>();

/** Mean share of time that events cover, over the tracks of devices, or of all else, that are not idle; null without any. */
function profileOf(engine: Engine, part: "device" | "rest", width: number): Float32Array | null {
  const { root } = engine.store;
  if (!root) return null;
  const kept = profiles.get(root) ?? new Map<string, Float32Array | null>();
  profiles.set(root, kept);
  const key = `${part} ${width}`;
  let found = kept.get(key);
  if (found === undefined) kept.set(key, (found = measured(engine, root, part, width)));
  return found;
}

function measured(engine: Engine, root: Tile, part: "device" | "rest", width: number): Float32Array | null {
  const tracks = engine.model.sections
    .filter(({ kind }) => kind !== "steps" && (kind === "device") === (part === "device"))
    .flatMap((section) => section.tracks.filter((track) => !track.idle && root.tracks.has(track.id)));
  if (tracks.length === 0) return null;
  const sum = new Float32Array(width);
  const raster = new Raster(width);
  for (const track of tracks) {
    const strip = root.tracks.get(track.id)?.[0];
    if (!strip) continue;
    const whole = { tile: root, strip, from: 0, to: root.bin * root.columns };
    raster.measure([whole], 0, engine.end / width, byName);
    for (let x = 0; x < width; x++) sum[x] = (sum[x] as number) + Math.min(raster.cover[x] as number, 1);
  }
  return sum.map((total) => total / tracks.length);
}
