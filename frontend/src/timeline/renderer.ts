/** What draws the events. Lengths are device pixels, times picoseconds. */
import type { Slice } from "./raster";

export interface Strips {
  /** Top of the first lane; may be above the picture. */
  y: number;
  laneHeight: number;
  lanes: Slice[][];
}

export interface Picture {
  width: number;
  height: number;
  /** Time at the left edge. */
  start: number;
  /** Picoseconds per device pixel. */
  scale: number;
  tracks: Strips[];
  /** A pixel (0xAABBGGRR) per name; its alpha dims what is not sought. */
  colours: Uint32Array;
  /** Pixel of names that have not arrived yet. */
  unnamed: number;
}

export interface Renderer {
  draw(picture: Picture): void;
}
