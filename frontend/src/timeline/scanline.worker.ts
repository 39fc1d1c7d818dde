/** Decodes tiles and rasterises lanes off the page's thread. */
import type { Order } from "./order";
import { Scan } from "./scan";

const scan = new Scan();
const canvas = new OffscreenCanvas(1, 1);
const context = canvas.getContext("2d", { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;

self.onmessage = ({ data: order }: MessageEvent<Order>) => {
  const { width, lanes } = order;
  const image = new ImageData(width, lanes.length);
  scan.draw(order, new Uint32Array(image.data.buffer));
  if (canvas.width !== width || canvas.height !== lanes.length)
    [canvas.width, canvas.height] = [width, lanes.length];
  context.putImageData(image, 0, 0);
  const bitmap = canvas.transferToImageBitmap();
  self.postMessage(bitmap, { transfer: [bitmap] });
};
