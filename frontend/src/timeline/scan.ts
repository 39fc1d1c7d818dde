/** What the worker of the scan-line back end does: rows of pixels from tiles that it was sent. */
import { SLICE, type Order } from "./order";
import { Raster, type Slice } from "./raster";
import type { Shade } from "./renderer";
import { byName } from "./shade";
import { decodeTile, type Tile } from "./tiles";

export class Scan {
  private readonly tiles = new Map<number, Tile>();
  private readonly shades = new Map<Tile, Shade | null>();
  private palette: Uint32Array = new Uint32Array();
  private raster = new Raster(0);

  /** Writes one row of pixels for each lane. */
  draw(order: Order, out: Uint32Array): void {
    this.take(order);
    const { width, start, scale, slices } = order;
    if (this.raster.width !== width) this.raster = new Raster(width);
    const shade = (tile: Tile): Shade => this.shades.get(tile) ?? byName(tile);
    let at = 0;
    for (const [row, count] of order.lanes.entries()) {
      const lane = Array.from({ length: count }, (_, i) => this.slice(slices, at + i * SLICE));
      at += count * SLICE;
      this.raster.measure(lane, start, scale, shade);
      this.raster.paint(out, row * width, this.palette, order.unnamed);
    }
  }

  private take({ tiles, shades, forgotten, palette }: Order): void {
    for (const [id, data] of tiles) this.tiles.set(id, decodeTile(data));
    for (const [id, shade] of shades) this.shades.set(this.tile(id), shade);
    for (const id of forgotten) {
      this.shades.delete(this.tile(id));
      this.tiles.delete(id);
    }
    if (palette) this.palette = palette;
  }

  private tile(id: number): Tile {
    return this.tiles.get(id) as Tile;
  }

  private slice(values: Float64Array, at: number): Slice {
    const [id, eventFrom, eventTo, blockFrom, blockTo, from, to] = values.subarray(
      at,
      at + SLICE,
    ) as unknown as [number, number, number, number, number, number, number];
    return { tile: this.tile(id), strip: { eventFrom, eventTo, blockFrom, blockTo }, from, to };
  }
}
