/** What draws the events. Lengths are device pixels, times picoseconds. */
import type { Slice } from "./raster";
import type { Tile } from "./tiles";

export interface Strips {
  track: number;
  /** Top of the first lane; may be above the picture. */
  y: number;
  laneHeight: number;
  lanes: Slice[][];
}

/** Places in the palette of a tile's events and blocks. */
export interface Shade {
  events: Uint32Array;
  blocks: Uint32Array;
}

export interface Picture {
  width: number;
  height: number;
  /** Time at the left edge. */
  start: number;
  /** Picoseconds per device pixel. */
  scale: number;
  tracks: Strips[];
  /** The same answer for the same tile, as long as nothing but the palette's colours changes. */
  shade: (tile: Tile) => Shade;
  /** Pixels (0xAABBGGRR); their alpha dims what is not sought. */
  palette: Uint32Array;
  /** Pixel of places past the end of the palette: names that have not arrived yet. */
  unnamed: number;
}

export interface Renderer {
  readonly name: string;
  draw(picture: Picture): void;
  /** Takes its canvas off the page. */
  dispose(): void;
}

/** Lanes at least this high, in device pixels, are set apart by a line. */
export const APART = 8;
/** Opacity of a pixel with next to nothing in it. */
export const FAINTEST = 0.22;
/** Events at least this many pixels wide get an edge, so that equal neighbours can be told apart. */
export const EDGED = 3;
