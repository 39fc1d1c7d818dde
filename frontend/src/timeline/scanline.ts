/**
 * Draws without a graphics card: each lane becomes one row of pixels, and a track's rows are stretched to their height in
 * one call.
 */
import { Raster } from "./raster";
import { APART, type Picture, type Renderer } from "./renderer";

export class ScanLine implements Renderer {
  readonly name = "scan-line";
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly rows: CanvasRenderingContext2D;
  private raster = new Raster(0);
  private image = new ImageData(1, 1);
  private pixels = new Uint32Array(this.image.data.buffer);

  constructor(field: HTMLElement) {
    field.prepend(this.canvas);
    this.context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    this.rows = document
      .createElement("canvas")
      .getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  }

  dispose(): void {
    this.canvas.remove();
  }

  draw(picture: Picture): void {
    const { width, height, tracks } = picture;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.clearRect(0, 0, width, height);
    const lanes = tracks.reduce((sum, track) => sum + track.lanes.length, 0);
    if (lanes === 0 || width === 0) return;
    this.reserve(width, lanes);
    let row = 0;
    for (const track of tracks) {
      for (const slices of track.lanes) {
        this.raster.measure(slices, picture.start, picture.scale, picture.shade);
        this.raster.paint(this.pixels, row * width, picture.palette, picture.unnamed);
        row++;
      }
    }
    this.rows.putImageData(this.image, 0, 0, 0, 0, width, lanes);
    this.context.imageSmoothingEnabled = false;
    row = 0;
    for (const { y, laneHeight, lanes } of tracks) {
      const high = lanes.length * laneHeight;
      this.context.drawImage(this.rows.canvas, 0, row, width, lanes.length, 0, y, width, high);
      row += lanes.length;
      if (laneHeight < APART) continue;
      for (let lane = 1; lane <= lanes.length; lane++) {
        this.context.clearRect(0, y + lane * laneHeight - 1, width, 1);
      }
    }
  }

  private reserve(width: number, lanes: number): void {
    if (this.raster.width !== width) this.raster = new Raster(width);
    if (this.image.width === width && this.image.height >= lanes) return;
    this.image = new ImageData(width, Math.ceil(lanes * 1.5));
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.rows.canvas.width = width;
    this.rows.canvas.height = this.image.height;
  }
}
