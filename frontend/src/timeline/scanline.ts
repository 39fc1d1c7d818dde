/**
 * Draws without a graphics card: a worker makes one row of pixels for each lane, and a track's rows are stretched to their
 * height in one call. Until the worker has answered, its last rows are stretched to the present camera, so that bars and
 * their names stay together. Starting a worker takes longer than the first pictures: until it has begun, and where it
 * cannot, the page makes the rows itself.
 */
import { bitmapOf } from "./bitmap";
import { Orders } from "./order";
import { rasterised } from "./raster";
import { APART, type Picture, type Renderer, type Strips } from "./renderer";

/** Share of the width that is drawn beyond each side, for what the camera moves until the next answer. */
const BESIDE = 1 / 16;

/** Rows of pixels, and the picture that they belong to. */
interface Rows {
  bitmap: ImageBitmap;
  picture: Picture;
  beside: number;
  /** By track, its first row. */
  first: Map<number, number>;
}

export class ScanLine implements Renderer {
  readonly name = "scan-line";
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private worker: Worker | null = null;
  /** Whether the worker has begun. */
  private ready = false;
  private starting = 0;
  private readonly orders = new Orders();
  private wanted: Picture | null = null;
  private ordered: Omit<Rows, "bitmap"> | null = null;
  private rows: Rows | null = null;
  private frame = 0;

  /** `replaced` is called after the first picture: whether another renderer draws from then on. */
  constructor(
    field: HTMLElement,
    private readonly replaced: () => boolean,
  ) {
    field.prepend(this.canvas);
    this.context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
  }

  dispose(): void {
    clearTimeout(this.starting);
    this.worker?.terminate();
    this.rows?.bitmap.close();
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }

  draw(picture: Picture): void {
    this.wanted = picture;
    if (!this.ordered) this.order(picture);
    this.show();
  }

  private order(picture: Picture): void {
    const { width, tracks } = picture;
    if (width === 0 || !tracks.some(({ lanes }) => lanes.some((slices) => slices.length > 0))) {
      this.keep(null);
      return;
    }
    const beside = Math.ceil(width * BESIDE);
    const first = firstRows(tracks);
    if (this.worker && this.ready) {
      const order = this.orders.of(picture, beside);
      this.worker.postMessage(order, [order.slices.buffer]);
      this.ordered = { picture, beside, first };
    } else {
      this.keep({
        bitmap: bitmapOf(rasterised(picture, beside), width + 2 * beside),
        picture,
        beside,
        first,
      });
      this.starting ||= window.setTimeout(() => this.start());
    }
  }

  private start(): void {
    if (this.replaced()) return;
    const worker = new Worker(new URL("./scanline.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<ImageBitmap | null>) => {
      if (data) this.receive(data);
      else this.ready = true;
    };
    worker.onerror = () => {
      this.ready = false;
      this.ordered = null;
      if (this.wanted) this.draw(this.wanted);
    };
    this.worker = worker;
  }

  private receive(bitmap: ImageBitmap): void {
    const { ordered } = this;
    this.ordered = null;
    if (!ordered) return;
    this.keep({ bitmap, ...ordered });
    if (this.wanted && this.wanted !== ordered.picture) this.order(this.wanted);
    this.frame ||= requestAnimationFrame(() => this.show());
  }

  private keep(rows: Rows | null): void {
    this.rows?.bitmap.close();
    this.rows = rows;
  }

  private show(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { canvas, context, rows, wanted } = this;
    if (!wanted) return;
    const { width, height, start, scale } = wanted;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.clearRect(0, 0, width, height);
    if (!rows) return;
    const { bitmap, picture, beside, first } = rows;
    const begin = picture.start - beside * picture.scale;
    const from = Math.max(begin, start);
    const to = Math.min(begin + bitmap.width * picture.scale, start + width * scale);
    if (to <= from) return;
    const source = [(from - begin) / picture.scale, (to - from) / picture.scale] as const;
    const [left, right] = [Math.round((from - start) / scale), Math.round((to - start) / scale)];
    context.imageSmoothingEnabled = false;
    for (const { track, y, laneHeight, lanes } of wanted.tracks) {
      const row = first.get(track);
      if (row === undefined) continue;
      const high = lanes.length * laneHeight;
      context.drawImage(bitmap, source[0], row, source[1], lanes.length, left, y, right - left, high);
      if (laneHeight < APART) continue;
      for (let lane = 1; lane <= lanes.length; lane++)
        context.clearRect(0, y + lane * laneHeight - 1, width, 1);
    }
  }
}

function firstRows(tracks: readonly Strips[]): Map<number, number> {
  let row = 0;
  return new Map(
    tracks.map(({ track, lanes }) => {
      const first = row;
      row += lanes.length;
      return [track, first];
    }),
  );
}
