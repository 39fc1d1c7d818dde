/** Colours of categories: each class of time has one colour in every chart, told apart by colour-blind eyes too. */

/** Number of a colour in `styles/tokens.css`, 1 to 10, or the grey of what is left over. */
export type Colour = number | "rest";

/** Classes of step time as in `profiler_plugin/analysis/breakdown.py`, parts of a request, and what is left over. */
const FIXED: Record<string, Colour> = {
  device_compute: 3,
  device_to_device: 5,
  device_collectives: 4,
  host_compute: 1,
  kernel_launch: 2,
  input: 7,
  output: 6,
  compilation: 8,
  host_preprocessing: 1,
  batch_formation: 8,
  host_runtime: 2,
  to_device: 7,
  from_device: 6,
  host_postprocessing: 4,
  all_others: "rest",
  others: "rest",
  idle: "rest",
};
const COLOURS = 10;

/** The colour of a series: that of its name where the name has one, else the next in order. */
export function colourOf(name: string, index: number): Colour {
  return FIXED[name] ?? (index % COLOURS) + 1;
}

export function variableOf(colour: Colour): string {
  return `var(--chart-${colour})`;
}

export interface ChartTheme {
  text: string;
  muted: string;
  line: string;
  surface: string;
  font: string;
  colour: (colour: Colour) => string;
}

/** The colours that the style sheet has right now, for what draws on a canvas. */
export function readTheme(element: Element): ChartTheme {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: read("--text"),
    muted: read("--text-muted"),
    line: read("--line"),
    surface: read("--surface"),
    font: style.fontFamily,
    colour: (colour) => read(`--chart-${colour}`),
  };
}
