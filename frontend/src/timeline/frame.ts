/** One frame: which rows and tiles are on screen. */
import { rowsBetween, type Layout, type Row, type TrackRow } from "./layout";
import type { Model } from "./model";
import type { Slice } from "./raster";
import type { Strips } from "./renderer";
import { slicesOf, type TileStore } from "./store";
import { levelOf, tilesOf, type View } from "./viewport";

export interface Frame {
  view: View;
  /** CSS pixels of the drawing. */
  height: number;
  scrollTop: number;
  ratio: number;
  rows: Row[];
  strips: Map<TrackRow, Strips>;
  /** Just above and below the screen: what scrolls in has been drawn. */
  beyond: Strips[];
  /** The lane of steps, which is known wherever the tracks are scrolled to. */
  steps: Slice[];
}

/** CSS pixels above and below the screen. */
const BEYOND = 160;

/** What draws on top of the events, beside and above them, once per frame. */
export type Layer = (frame: Frame) => void;

/** What there is to draw; asks the store for what is missing, also half a screen above and below. */
export function frameOf(
  model: Model,
  layout: Layout,
  store: TileStore,
  view: View,
  scroller: { scrollTop: number; clientHeight: number },
  ratio: number,
): Frame {
  const { scrollTop, clientHeight: height } = scroller;
  const level = levelOf(view, ratio);
  const [from, to] = tilesOf(view, level, model.end);
  const nearby = rowsBetween(layout, scrollTop - height / 2, scrollTop + height * 1.5);
  const tracks = nearby.flatMap((row) => (row.kind === "track" ? [row.track.id] : []));
  const [steps] = model.sections.flatMap(({ kind, tracks }) => (kind === "steps" ? tracks : []));
  store.want({ level, from, to, tracks: [...new Set(steps ? [steps.id, ...tracks] : tracks)] });
  const rows = rowsBetween(layout, scrollTop, scrollTop + height);
  const [strips, beyond] = [new Map<TrackRow, Strips>(), [] as Strips[]];
  for (const row of rowsBetween(layout, scrollTop - BEYOND, scrollTop + height + BEYOND)) {
    if (row.kind !== "track") continue;
    const { id, lanes: count } = row.track;
    const pieces = store.pieces(id, level, from, to);
    const own = {
      track: id,
      y: Math.round((row.y - scrollTop) * ratio),
      laneHeight: Math.round(row.laneHeight * ratio),
      lanes: Array.from({ length: count }, (_, lane) => slicesOf(pieces, id, lane)),
    };
    if (row.y + row.height > scrollTop && row.y < scrollTop + height) strips.set(row, own);
    else if (row.track.kind !== "counter") beyond.push(own);
  }
  const marks = steps ? slicesOf(store.pieces(steps.id, level, from, to), steps.id, 0) : [];
  return { view, height, scrollTop, ratio, rows, strips, beyond, steps: marks };
}
