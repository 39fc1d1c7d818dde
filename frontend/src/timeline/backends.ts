/** Which renderer a machine gets: its graphics card where it has one, else the processor, which then is the faster one. */
import type { Renderer } from "./renderer";
import { ScanLine } from "./scanline";
import { WebGl } from "./webgl";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Gives `show` a renderer that draws below everything else in `field`; when the graphics card is lost, another one that
 * does without. `wanted` ("webgl" or "scanline") overrules the choice.
 */
export function openRenderer(
  field: HTMLElement,
  wanted: string | undefined,
  show: (renderer: Renderer) => void,
): void {
  const gl = wanted === "scanline" ? null : context(wanted === "webgl");
  const lost = (): void => show(new ScanLine(field));
  try {
    show(gl ? new WebGl(field, gl, lost) : new ScanLine(field));
  } catch {
    // A driver that cannot take the program.
    show(new ScanLine(field));
  }
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
