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
/** Letters that say something with dots behind them. */
const LEAST_LETTERS = 2;
/** By font and letter: measuring each of a thousand labels takes too long. */
const widths = new Map<string, Map<string, number>>();

/** As much of a text as fits, with dots where some does not; nothing where that is next to nothing. */
export function cropped(context: CanvasRenderingContext2D, text: string, width: number): string {
  const { font } = context;
  const known = widths.get(font) ?? new Map<string, number>();
  widths.set(font, known);
  const widthOf = (letter: string): number => {
    let found = known.get(letter);
    if (found === undefined) known.set(letter, (found = context.measureText(letter).width));
    return found;
  };
  const dots = widthOf(ELLIPSIS);
  let [used, read, kept] = [0, 0, 0];
  for (const letter of text) {
    used += widthOf(letter);
    if (used > width) return kept < LEAST_LETTERS ? "" : text.slice(0, kept) + ELLIPSIS;
    read += letter.length;
    if (used + dots <= width) kept = read;
  }
  return text;
}
