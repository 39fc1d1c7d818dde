/** Which renderer a machine gets: its graphics card where it has one, else the processor, which then is the faster one. */
import type { Renderer } from "./renderer";
import { ScanLine } from "./scanline";
import { WebGl } from "./webgl";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Gives `show` a renderer that draws below everything else in `field`. The first picture does not wait until a graphics
 * card is found: that is looked for when there is one. When the card is lost, another renderer does without. `wanted`
 * ("webgl" or "scanline") overrules the choice.
 */
export function openRenderer(
  field: HTMLElement,
  wanted: string | undefined,
  show: (renderer: Renderer) => void,
): void {
  const without = (): void => show(new ScanLine(field, () => false));
  const accelerate = (gl: WebGL2RenderingContext | null): boolean => {
    if (!gl) return false;
    try {
      show(new WebGl(field, gl, without));
    } catch {
      // A driver that cannot take the program.
      without();
    }
    return true;
  };
  if (wanted === "webgl" && accelerate(context(true))) return;
  show(new ScanLine(field, () => wanted !== "scanline" && accelerate(context(false))));
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
