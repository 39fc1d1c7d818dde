/**
 * One lane as a row of device pixels.
 *
 *   events and blocks   ██████████░░▒▒▒  ▏
 *   coverage per pixel  1 1 1 1 1 .3 .6 0 .02      how much of the pixel's time events cover
 *   colour per pixel    of what covers most of it; opaque where covered, fainter where less so, never invisible
 */
import { EDGED, FAINTEST, type Picture, type Shade } from "./renderer";
import { WHOLE, type Strip, type Tile } from "./tiles";

/** A lane of a tile, shown from `from` to `to` (picoseconds). A coarser or finer tile may stand in for a missing one. */
export interface Slice {
  tile: Tile;
  strip: Strip;
  from: number;
  to: number;
}

export class Raster {
  readonly cover: Float32Array;
  /** Place in the palette of what covers most of a pixel. */
  readonly place: Int32Array;
  private readonly most: Float32Array;
  private readonly edge: Uint8Array;

  /** For rows of `width` device pixels. */
  constructor(readonly width: number) {
    this.cover = new Float32Array(width);
    this.most = new Float32Array(width);
    this.place = new Int32Array(width);
    this.edge = new Uint8Array(width);
  }

  /** Coverage and place of each pixel, -1 where there is nothing. `scale` is picoseconds per device pixel. */
  measure(slices: readonly Slice[], start: number, scale: number, shadeOf: (tile: Tile) => Shade): void {
    this.cover.fill(0);
    this.most.fill(-1);
    this.place.fill(-1);
    this.edge.fill(0);
    for (const { tile, strip, from, to } of slices) {
      const left = Math.max((from - start) / scale, 0);
      const right = Math.min((to - start) / scale, this.width);
      if (right <= left) continue;
      const zero = (tile.start - start) / scale;
      const column = tile.bin / scale;
      const shade = shadeOf(tile);
      for (let i = strip.blockFrom; i < strip.blockTo; i++) {
        const x = zero + (tile.blockColumn[i] as number) * column;
        if (x >= right) break;
        if (x + column <= left) continue;
        const share = (tile.blockBusy[i] as number) / WHOLE;
        this.add(Math.max(x, left), Math.min(x + column, right), share, shade.blocks[i] as number);
      }
      for (let i = strip.eventFrom; i < strip.eventTo; i++) {
        const x = zero + (tile.eventStart[i] as number) / scale;
        if (x >= right) break;
        const end = zero + (tile.eventEnd[i] as number) / scale;
        if (end <= left) continue;
        this.add(Math.max(x, left), Math.min(end, right), 1, shade.events[i] as number);
        if (end - x >= EDGED && end <= right) this.edge[Math.ceil(end) - 1] = 1;
      }
    }
  }

  /** Writes the measured row. */
  paint(out: Uint32Array, offset: number, palette: Uint32Array, unnamed: number): void {
    for (let x = 0; x < this.width; x++) {
      const place = this.place[x] as number;
      if (place < 0) {
        out[offset + x] = 0;
        continue;
      }
      let pixel = palette[place] ?? unnamed;
      if (this.edge[x]) pixel = darker(pixel);
      const cover = Math.min(this.cover[x] as number, 1);
      const opacity = ((pixel >>> 24) * (FAINTEST + (1 - FAINTEST) * cover)) | 0;
      out[offset + x] = ((pixel & 0xffffff) | (opacity << 24)) >>> 0;
    }
  }

  /** Adds what covers `share` of each pixel from `left` to `right`. */
  private add(left: number, right: number, share: number, place: number): void {
    const last = Math.min(Math.ceil(right), this.width) - 1;
    for (let x = Math.floor(left); x <= last; x++) {
      const part = (Math.min(right, x + 1) - Math.max(left, x)) * share;
      this.cover[x] = (this.cover[x] as number) + part;
      if (part > (this.most[x] as number)) {
        this.most[x] = part;
        this.place[x] = place;
      }
    }
  }
}

/** Rows of pixels, one for each lane of a picture that is `beside` device pixels wider at each side. */
export function rasterised(picture: Picture, beside = 0): Uint32Array<ArrayBuffer> {
  const { start, scale, palette, unnamed } = picture;
  const lanes = picture.tracks.flatMap((track) => track.lanes);
  const raster = new Raster(picture.width + 2 * beside);
  const out = new Uint32Array(raster.width * lanes.length);
  for (const [row, lane] of lanes.entries()) {
    raster.measure(lane, start - beside * scale, scale, picture.shade);
    raster.paint(out, row * raster.width, palette, unnamed);
  }
  return out;
}

/** Three quarters of the light of a pixel. */
function darker(pixel: number): number {
  return ((pixel & 0xff000000) | (((pixel & 0xfcfcfc) >>> 2) * 3)) >>> 0;
}
