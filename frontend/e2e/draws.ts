/** What the canvases of a timeline were told to draw in their last frame. */
import type { Page } from "@playwright/test";

export interface Draws {
  texts: { text: string; x: number; y: number }[];
  /** x, y, width, height */
  rects: [number, number, number, number][];
  curves: number;
  frames: number;
}

/** Notes what canvases are told from the next page on. Reading pixels of WebGL stays possible after the frame. */
export async function recordDraws(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const known = new WeakMap<object, Draws>();
    const own = (context: { canvas: object }): Draws => {
      let found = known.get(context.canvas);
      if (!found) known.set(context.canvas, (found = { texts: [], rects: [], curves: 0, frames: 0 }));
      return found;
    };
    const proto = CanvasRenderingContext2D.prototype;
    const { clearRect, fillText, fillRect, bezierCurveTo } = proto;
    proto.clearRect = function (x, y, width, height) {
      if (x === 0 && y === 0)
        Object.assign(own(this), { texts: [], rects: [], curves: 0, frames: own(this).frames + 1 });
      clearRect.call(this, x, y, width, height);
    };
    proto.fillText = function (text, x, y) {
      own(this).texts.push({ text, x, y });
      fillText.call(this, text, x, y);
    };
    proto.fillRect = function (...box) {
      own(this).rects.push(box);
      fillRect.apply(this, box);
    };
    proto.bezierCurveTo = function (...points) {
      own(this).curves++;
      bezierCurveTo.apply(this, points);
    };
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (
      this: HTMLCanvasElement,
      kind: string,
      options?: object,
    ) {
      return getContext.call(
        this,
        kind,
        kind === "webgl2" ? { ...options, preserveDrawingBuffer: true } : options,
      );
    } as typeof getContext;
    Object.assign(window, { drawsOf: (canvas: HTMLCanvasElement) => own({ canvas }) });
  });
}

/** `selector` names one canvas, such as `.tl-field > canvas` for what lies on top of the events. */
export function draws(page: Page, selector = ".tl-field > canvas"): Promise<Draws> {
  return page
    .locator(selector)
    .evaluate((canvas) => (window as unknown as { drawsOf: (canvas: Element) => Draws }).drawsOf(canvas));
}
