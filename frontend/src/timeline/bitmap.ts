/** Rows of pixels as something that is drawn quickly, and can be given to another thread. */
let context: OffscreenCanvasRenderingContext2D | null = null;

export function bitmapOf(pixels: Uint32Array<ArrayBuffer>, width: number): ImageBitmap {
  context ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const { canvas } = context as OffscreenCanvasRenderingContext2D;
  const height = pixels.length / width;
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  context?.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width), 0, 0);
  return canvas.transferToImageBitmap();
}
