/** Decodes tiles and rasterises lanes off the page's thread. Says that it has begun by a message of nothing. */
import { bitmapOf } from "./bitmap";
import type { Order } from "./order";
import { Scan } from "./scan";

const scan = new Scan();

self.onmessage = ({ data: order }: MessageEvent<Order>) => {
  const pixels = new Uint32Array(order.width * order.lanes.length);
  scan.draw(order, pixels);
  const bitmap = bitmapOf(pixels, order.width);
  self.postMessage(bitmap, { transfer: [bitmap] });
};
self.postMessage(null);
