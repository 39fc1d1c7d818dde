/** Which renderer a machine gets: its graphics card where it has one, else the processor, which then is the faster one. */
import type { Renderer } from "./renderer";
import { ScanLine, startWorker } from "./scanline";
import { WebGl } from "./webgl";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** The graphics card, until a renderer takes it; null where there is none. */
let card: WebGL2RenderingContext | null | undefined;

/** Begins what takes a while, so that it is done when there is something to draw. */
export function begin(): void {
  card = context(false);
  if (!card) startWorker();
}

/**
 * Gives `show` a renderer that draws below everything else in `field`; when the graphics card is lost, another one that
 * does without. `wanted` ("webgl" or "scanline") overrules the choice. `fail` hears of a worker that does not work.
 */
export function openRenderer(
  field: HTMLElement,
  wanted: string | undefined,
  show: (renderer: Renderer) => void,
  fail: (error: Error) => void,
): void {
  const gl = wanted === "scanline" ? null : wanted === "webgl" ? context(true) : takeCard();
  const without = (): void => show(new ScanLine(field, fail));
  if (!gl) return without();
  try {
    show(new WebGl(field, gl, without));
  } catch {
    // A driver that cannot take the program.
    without();
  }
}

function takeCard(): WebGL2RenderingContext | null {
  const gl = card === undefined ? context(false) : card;
  card = gl ? undefined : null;
  return gl;
}

function context(software: boolean): WebGL2RenderingContext | null {
  const gl = document.createElement("canvas").getContext("webgl2", {
    antialias: false,
    premultipliedAlpha: false,
    failIfMajorPerformanceCaveat: !software,
  });
  if (!gl || software) return gl;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const card = String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  return SOFTWARE.test(card) ? null : gl;
}
