/** What the canvases of the timeline share: colours of the style sheet, sharp lines, and texts that fit. */
export interface Ink {
  text: string;
  muted: string;
  faint: string;
  line: string;
  strong: string;
  surface: string;
  raised: string;
  accent: string;
  warning: string;
  device: string;
  host: string;
  font: string;
}

export function readInk(element: Element): Ink {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: read("text"),
    muted: read("text-muted"),
    faint: read("text-faint"),
    line: read("line"),
    strong: read("line-strong"),
    surface: read("surface"),
    raised: read("raised"),
    accent: read("accent"),
    warning: read("warning"),
    device: read("chart-3"),
    host: read("chart-1"),
    font: style.fontFamily,
  };
}

/** Clears a canvas of this size in CSS pixels, and lets drawing be done in CSS pixels. */
export function prepared(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio: number,
): CanvasRenderingContext2D {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const ELLIPSIS = "…";
const SAMPLE = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJ0123456789";
const widths = new Map<string, number>();

/** As much of a text as fits, by the average width of a letter: measuring each of a thousand labels takes too long. */
export function cropped(context: CanvasRenderingContext2D, text: string, width: number): string {
  let letter = widths.get(context.font);
  if (letter === undefined)
    widths.set(context.font, (letter = context.measureText(SAMPLE).width / SAMPLE.length));
  const fits = Math.floor(width / letter);
  if (text.length <= fits) return text;
  return fits < 3 ? "" : text.slice(0, fits - 1) + ELLIPSIS;
}
