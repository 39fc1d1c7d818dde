/** A neutral chart description joined with its table: what is drawn, in which unit and colour, before any library. */
import { column, type Chart, type ChartKind, type Column, type Table, type Unit } from "../result";
import { format, scaleOfColumn, type Scale } from "../units";
import { colourOf, type Colour } from "./palette";

export interface Series {
  name: string;
  label: string;
  colour: Colour;
  values: (number | null)[];
  /** Of a series on the right axis, which has a unit of its own. */
  right?: { label: string; scale: Scale };
}

/** What a view adds to a chart that the server describes. */
export interface Extras {
  /** A column drawn as a line against an axis on the right. */
  right?: string;
  /** Columns that the hover card tells besides. */
  facts?: readonly string[];
  /** Values hold until the next row. */
  steps?: boolean;
  /** Series that the legend has switched off at first. */
  hidden?: readonly string[];
  /** Each row has a value in one series only, so the others are no news. */
  exclusive?: boolean;
  /** Of blocks, the columns of where each ends and how high it is. */
  block?: { end: string; height: string };
}

export interface Plot {
  kind: ChartKind;
  title: string;
  stack: boolean;
  log: boolean;
  steps: boolean;
  exclusive: boolean;
  /** `timed`: rows are placed by their time, not side by side. */
  x: { label: string; scale: Scale; texts: string[]; numbers: (number | null)[]; timed: boolean };
  y: { label: string; unit: Unit; scale: Scale };
  /** Of a pie: one series per slice, with a single value. */
  series: Series[];
  /** What each row is called, where that is not its x. */
  names: string[] | null;
  lines: Line[];
  /** Of blocks, where each row ends, and how high it is, in the units of x and y. */
  blocks: { end: number; height: number }[];
  facts: { label: string; texts: string[] }[];
}

/** A line that marks are compared with, in the units of the table. */
export interface Line {
  label: string;
  points: [number, number][];
}

/** null where the table lacks what the chart shows, or knows none of it. */
export function plotOf(
  chart: Chart,
  table: Table | undefined,
  lines?: Table,
  extras: Extras = {},
): Plot | null {
  const x = column(table, chart.x);
  const ys = chart.y.map((name) => known(column(table, name))).filter((found) => found !== undefined);
  const first = ys[0];
  if (!table || !x || !first || (chart.log && !ys.some((y) => hasPlace(x, y)))) return null;
  const series = chart.kind === "pie" ? slices(x, first) : ys.map(seriesOf);
  const seen = series.filter((one) => !extras.hidden?.includes(one.name));
  const right = extras.right === undefined ? undefined : known(column(table, extras.right));
  return {
    kind: chart.kind,
    title: chart.label || table.label,
    stack: chart.stack,
    log: chart.log,
    steps: extras.steps ?? false,
    exclusive: extras.exclusive ?? false,
    x: {
      label: x.label,
      scale: scaleOfColumn(x.values, x.unit),
      texts: x.values.map((value) => textOf(value, x)),
      numbers: numbers(x),
      timed: x.unit === "ps" && (chart.kind === "line" || chart.kind === "area"),
    },
    y: {
      label: labelOf(ys),
      unit: first.unit,
      scale: scaleOfColumn(chart.stack ? sums(seen) : seen.flatMap((one) => one.values), first.unit),
    },
    series: right ? [...series, onTheRight(right, series.length)] : series,
    names: column(table, chart.names ?? "")?.values.map((name) => String(name ?? "unknown")) ?? null,
    lines: lines ? linesOf(lines) : [],
    blocks: blocksOf(table, extras),
    facts: (extras.facts ?? [])
      .map((name) => column(table, name))
      .filter((found) => found !== undefined)
      .map((found) => ({ label: found.label, texts: found.values.map((value) => factOf(value, found)) })),
  };
}

/** Whether rows are placed by two numbers, and not side by side. */
export function isPlaced(plot: Plot): boolean {
  return plot.kind === "scatter" || plot.kind === "block";
}

export function hasValue(series: Series, row: number): boolean {
  return series.values[row] != null;
}

/** Whether any row has a place on two logarithmic axes. */
function hasPlace(x: Column, y: Column): boolean {
  return y.values.some((value, row) => Number(value) > 0 && Number(x.values[row]) > 0);
}

/** A column of which any value is known. */
function known(y: Column | undefined): Column | undefined {
  return y?.values.some((value) => value !== null) ? y : undefined;
}

function blocksOf(table: Table, { block }: Extras): Plot["blocks"] {
  const ends = column(table, block?.end ?? "")?.values ?? [];
  const heights = column(table, block?.height ?? "")?.values ?? [];
  return ends.map((end, row) => ({ end: Number(end), height: Number(heights[row]) }));
}

function linesOf(table: Table): Line[] {
  const [x, ...ys] = table.columns;
  return ys.map((y) => ({
    label: y.label,
    points: y.values.map((value, row) => [Number(x?.values[row]), Number(value)]),
  }));
}

function onTheRight(y: Column, index: number): Series {
  return { ...seriesOf(y, index), right: { label: y.label, scale: scaleOfColumn(y.values, y.unit) } };
}

function factOf(value: Column["values"][number], source: Column): string {
  return value === null ? "–" : textOf(value, source);
}

function seriesOf(y: Column, index: number): Series {
  return { name: y.name, label: y.label, colour: colourOf(y.name, index), values: numbers(y) };
}

/** Several rows may have the same name, so the slice is named by its place. */
function slices(x: Column, y: Column): Series[] {
  return x.values.map((value, row) => ({
    name: String(row),
    label: textOf(value, x),
    colour: colourOf(/^[\d,]+ others?$/.test(String(value)) ? "others" : "", row),
    values: [numbers(y)[row] ?? null],
  }));
}

function numbers(source: Column): (number | null)[] {
  return source.values.map((value) => (typeof value === "number" ? value : null));
}

function textOf(value: Column["values"][number], source: Column): string {
  return typeof value === "number" ? format(value, source.unit) : String(value ?? "unknown");
}

function sums(series: Series[]): number[] {
  return (series[0]?.values ?? []).map((_, row) =>
    series.reduce((sum, one) => sum + (one.values[row] ?? 0), 0),
  );
}

const QUANTITIES: Partial<Record<Unit, string>> = {
  ps: "Time",
  bytes: "Memory",
  share: "Share",
  count: "Count",
};

function labelOf(ys: Column[]): string {
  const [only] = ys;
  if (!only) return "";
  return ys.length === 1 ? only.label : (QUANTITIES[only.unit] ?? "");
}
