/**
 * Which part of time is on screen. Times are picoseconds from the start of the profile, whole and exact below 2^53 (two and
 * a half hours); x is CSS pixels from the left edge of the drawing.
 */
export interface View {
  start: number;
  /** Picoseconds per CSS pixel. */
  scale: number;
  /** CSS pixels. */
  width: number;
}

/** Columns of pixels in one tile; a tile of level k has columns of 2^k ps. */
export const TILE_COLUMNS = 2048;

const SHORTEST = 100;
const BEYOND = 0.02;

export const endOf = (view: View): number => view.start + view.width * view.scale;
export const timeAt = (view: View, x: number): number => view.start + x * view.scale;
export const xOf = (view: View, time: number): number => (time - view.start) / view.scale;

/** Keeps the view between the shortest useful window and the whole profile, and at most half a screen past its ends. */
export function clamped(view: View, end: number): View {
  const longest = Math.max(end * (1 + BEYOND), SHORTEST);
  const span = Math.min(Math.max(view.width * view.scale, SHORTEST), longest);
  const start = Math.min(Math.max(view.start, -span / 2), end - span / 2);
  return { start, scale: span / view.width, width: view.width };
}

/** The view from `start` to `end`, with `margin` of its span free at both sides. */
export function showing(start: number, end: number, width: number, margin = 0): View {
  const span = Math.max(end - start, 1);
  return { start: start - span * margin, scale: (span * (1 + 2 * margin)) / width, width };
}

/**
 * Zooms by `factor` (above 1: closer) so that the time under `x` stays there, as long as that needs no more emptiness beyond
 * the ends of the profile than there was: so the way out ends at the whole profile.
 */
export function zoomed(view: View, x: number, factor: number, end: number): View {
  const longest = Math.max(end * (1 + BEYOND), SHORTEST);
  const span = Math.min(Math.max((view.width * view.scale) / factor, SHORTEST), longest);
  const margin = (longest - end) / 2;
  const [first, last] = [Math.min(view.start, -margin), Math.max(endOf(view), end + margin) - span];
  const scale = span / view.width;
  const start = Math.max(Math.min(timeAt(view, x) - x * scale, last), first);
  return clamped({ start, scale, width: view.width }, end);
}

export function panned(view: View, pixels: number, end: number): View {
  return clamped({ ...view, start: view.start + pixels * view.scale }, end);
}

/** The coarsest level whose columns are no wider than a device pixel. */
export function levelOf(view: View, pixelRatio: number): number {
  return Math.max(0, Math.floor(Math.log2(view.scale / pixelRatio)));
}

export const tileSpan = (level: number): number => TILE_COLUMNS * 2 ** level;

/** Indices of the first tile of a level that the view shows, and of the one after the last, within the profile. */
export function tilesOf(view: View, level: number, end: number): [number, number] {
  const span = tileSpan(level);
  const last = Math.floor(Math.max(end, 0) / span);
  const from = Math.min(Math.max(Math.floor(view.start / span), 0), last);
  const to = Math.min(Math.max(Math.ceil(endOf(view) / span), from + 1), last + 1);
  return [from, to];
}
