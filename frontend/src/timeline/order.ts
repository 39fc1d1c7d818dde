/** What the scan-line back end sends to its worker. Messages between threads are copied: hence flat arrays. */
import { Held } from "./held";
import type { Picture, Shade } from "./renderer";

/** Numbers in `Order.slices` for each slice: tile, first and last event, first and last block, from, to. */
export const SLICE = 7;

/** A picture to draw, and what of it the worker does not have yet. */
export interface Order {
  /** Answers of the server, by the number that `slices` call them. */
  tiles: [number, ArrayBuffer][];
  /** Places in the palette by tile; null where they are the numbers of the names. */
  shades: [number, Shade | null][];
  forgotten: number[];
  /** Absent while it is the last one. */
  palette?: Uint32Array;
  unnamed: number;
  /** Device pixels. */
  width: number;
  /** Time at the left edge, picoseconds, and picoseconds per device pixel. */
  start: number;
  scale: number;
  /** Number of slices of each lane. */
  lanes: number[];
  slices: Float64Array;
}

interface Sent {
  id: number;
  /** Undefined until the tile is sent. */
  shade: Shade | null | undefined;
}

export class Orders {
  private readonly sent = new Held<Sent>(
    () => ({ id: this.tiles++, shade: undefined }),
    ({ id }) => this.forgotten.push(id),
  );
  private tiles = 0;
  private forgotten: number[] = [];
  private palette: Uint32Array | null = null;

  /** The order of a picture that is `beside` device pixels wider at each side. */
  of(picture: Picture, beside: number): Order {
    const { width, start, scale, palette, unnamed } = picture;
    const lanes = picture.tracks.flatMap((track) => track.lanes);
    const tiles: Order["tiles"] = [];
    const shades: Order["shades"] = [];
    const slices = new Float64Array(SLICE * lanes.reduce((sum, lane) => sum + lane.length, 0));
    for (const [i, { tile, strip, from, to }] of lanes.flat().entries()) {
      const known = this.sent.of(tile);
      if (known.shade === undefined) tiles.push([known.id, tile.data]);
      const shade = picture.shade(tile);
      const own = shade.events === tile.eventName ? null : shade;
      if (known.shade !== own) shades.push([known.id, own]);
      known.shade = own;
      const values = [known.id, strip.eventFrom, strip.eventTo, strip.blockFrom, strip.blockTo, from, to];
      slices.set(values, i * SLICE);
    }
    this.sent.forget();
    const order = {
      tiles,
      shades,
      forgotten: this.forgotten,
      ...(palette === this.palette ? {} : { palette }),
      unnamed,
      width: width + 2 * beside,
      start: start - beside * scale,
      scale,
      lanes: lanes.map((lane) => lane.length),
      slices,
    };
    this.palette = palette;
    this.forgotten = [];
    return order;
  }
}
