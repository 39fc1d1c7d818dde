/** A plot as options of the chart library: pure data, so that tests compare it without drawing anything. */
import type { EChartsCoreOption } from "echarts/core";
import { format, formatIn, withUnit } from "../units";
import { blockSeries } from "./blocks";
import type { ChartTheme } from "./palette";
import { hasValue, isPlaced, type Line, type Plot, type Series } from "./plot";

export interface Shape {
  /** Names of series that the legend has switched off. */
  hidden: ReadonlySet<string>;
  /** A picture to take away carries its title and legend; on the page those are text of the page. */
  standalone?: boolean;
}

/** More points than this get a zoom bar. */
const CROWDED = 60;
/** Fewer stacked bars than this are wide enough for hairlines. */
const SEPARATED = 60;
/** Room below the axis for its name, in pixels. */
const AXIS_NAME = 26;
/** Of so few categories all are named, in lines of so many characters. */
const FEW = 6;
const LINE_CHARS = 11;
const LINE_PIXELS = 14;

export function optionOf(
  plot: Plot,
  theme: ChartTheme,
  { hidden, standalone = false }: Shape,
): EChartsCoreOption {
  const shown = plot.series.filter((series) => !hidden.has(series.name));
  const common = {
    animation: false,
    color: shown.map((series) => theme.colour(series.colour)),
    textStyle: { color: theme.text, fontFamily: theme.font },
    ...(standalone ? decoration(plot, shown, theme) : {}),
  };
  return plot.kind === "pie"
    ? { ...common, ...pie(shown, theme, standalone) }
    : { ...common, ...cartesian(plot, shown, theme, standalone) };
}

/** Height in pixels that suits the plot. */
export function heightOf(plot: Plot): number {
  return plot.kind === "pie" ? 220 : isPlaced(plot) ? 360 : 280;
}

function decoration(plot: Plot, shown: Series[], theme: ChartTheme): EChartsCoreOption {
  return {
    backgroundColor: theme.surface,
    title: { text: plot.title, left: 12, top: 8, textStyle: { color: theme.text, fontSize: 15 } },
    legend: {
      data: shown.map((series) => series.label),
      bottom: 8,
      textStyle: { color: theme.text },
      type: "scroll",
    },
  };
}

function pie(shown: Series[], theme: ChartTheme, standalone: boolean): EChartsCoreOption {
  return {
    tooltip: { trigger: "item", confine: true },
    series: [
      {
        type: "pie",
        radius: standalone ? ["34%", "62%"] : ["56%", "96%"],
        label: { show: false },
        itemStyle: { borderColor: theme.surface, borderWidth: 0.5 },
        emphasis: { scale: false },
        data: shown.map((series) => ({ name: series.label, value: series.values[0] })),
      },
    ],
  };
}

function cartesian(plot: Plot, shown: Series[], theme: ChartTheme, standalone: boolean): EChartsCoreOption {
  const rows = plot.x.texts.length;
  const crowded = rows > CROWDED && !isPlaced(plot);
  const axis = {
    axisLine: { lineStyle: { color: theme.line } },
    axisTick: { lineStyle: { color: theme.line } },
    axisLabel: { color: theme.muted, hideOverlap: true },
    nameTextStyle: { color: theme.muted },
    splitLine: { lineStyle: { color: theme.line, opacity: 0.7 } },
  };
  return {
    grid: {
      left: 12,
      right: 20,
      top: standalone ? 72 : 34,
      bottom: (standalone ? 40 : crowded ? 30 : 0) + AXIS_NAME,
      containLabel: true,
    },
    tooltip: {
      trigger: isPlaced(plot) ? "item" : "axis",
      confine: true,
      axisPointer: { type: plot.kind === "bar" ? "shadow" : "line", lineStyle: { color: theme.muted } },
    },
    xAxis: {
      ...axis,
      ...xAxis(plot, theme),
      name: withUnit(plot.x.label, bracketed(plot.x.scale.label)),
      nameLocation: "middle",
      nameGap: AXIS_NAME + LINE_PIXELS * (linesOfNames(plot) - 1),
    },
    yAxis: [
      {
        ...axis,
        type: plot.log ? "log" : "value",
        name: withUnit(plot.y.label, bracketed(plot.y.scale.label)),
        nameTextStyle: { color: theme.muted, align: "left" },
      },
      ...rightAxis(shown, axis, theme),
    ],
    dataZoom: zoom(plot, crowded && !standalone, theme),
    series: [
      ...plot.lines.map((line) => lineOf(plot, line, theme)),
      ...(plot.kind === "block" ? shown.map((series) => blockSeries(plot, series, theme)) : []),
      ...(plot.kind === "block" ? [] : shown).map((series) => ({
        type: plot.kind === "area" ? "line" : plot.kind,
        name: series.label,
        ...(series.right ? { yAxisIndex: 1, lineStyle: { type: "dashed", width: 1.5 } } : {}),
        ...(plot.stack && !series.right ? { stack: "all" } : {}),
        ...(plot.kind === "area" && !series.right ? { areaStyle: { opacity: plot.stack ? 0.75 : 0.2 } } : {}),
        ...(plot.kind === "line" || plot.kind === "area"
          ? { symbol: rows > CROWDED ? "none" : "circle", symbolSize: 5, step: plot.steps ? "end" : false }
          : {}),
        ...(plot.kind === "bar" ? { barMaxWidth: 48, barCategoryGap: "18%" } : {}),
        ...(plot.kind === "scatter" ? { symbolSize: 8 } : {}),
        // A hairline between stacked parts: colour is not the only thing that tells them apart.
        itemStyle: {
          borderColor: theme.surface,
          borderWidth: plot.kind === "bar" && plot.stack && rows <= SEPARATED ? 0.5 : 0,
        },
        data: dataOf(plot, series),
      })),
    ],
  };
}

/** A line behind the marks, with its name at its end. */
function lineOf(plot: Plot, line: Line, theme: ChartTheme): EChartsCoreOption {
  return {
    type: "line",
    name: line.label,
    silent: true,
    symbol: "none",
    z: 1,
    lineStyle: { color: theme.muted, width: 1.5 },
    itemStyle: { color: theme.muted },
    endLabel: {
      show: true,
      formatter: "{a}",
      color: theme.muted,
      align: "right",
      verticalAlign: "bottom",
      offset: [-12, -4],
    },
    data: line.points.map(([x, y]) => [x / plot.x.scale.factor, y / plot.y.scale.factor]),
  };
}

function rightAxis(shown: Series[], axis: EChartsCoreOption, theme: ChartTheme): EChartsCoreOption[] {
  const right = shown.find((series) => series.right)?.right;
  if (!right) return [];
  const name = withUnit(right.label, bracketed(right.scale.label));
  const nameTextStyle = { color: theme.muted, align: "right" };
  return [{ ...axis, type: "value", name, nameTextStyle, splitLine: { show: false }, min: 0 }];
}

function xAxis(plot: Plot, theme: ChartTheme): EChartsCoreOption {
  if (plot.kind === "block") return { type: "value", max: "dataMax" };
  if (plot.kind === "scatter") return { type: plot.log ? "log" : "value" };
  if (plot.x.timed) {
    // Round numbers only: the first and the last time of a capture are not.
    const axisLabel = { color: theme.muted, hideOverlap: true, showMinLabel: false, showMaxLabel: false };
    return { type: "value", min: "dataMin", max: "dataMax", splitLine: { show: false }, axisLabel };
  }
  return {
    type: "category",
    data: plot.x.texts,
    ...(isFew(plot)
      ? { axisLabel: { color: theme.muted, interval: 0, lineHeight: LINE_PIXELS, formatter: inLines } }
      : {}),
    splitLine: { show: false },
    boundaryGap: plot.kind === "bar",
  };
}

/** Few categories of plain words, not names of ops. */
function isFew(plot: Plot): boolean {
  const { texts } = plot.x;
  return plot.kind === "bar" && texts.length <= FEW && texts.every((text) => !/\S{14}/.test(text));
}

function linesOfNames(plot: Plot): number {
  return isFew(plot) ? Math.max(...plot.x.texts.map((text) => inLines(text).split("\n").length)) : 1;
}

/** Words in lines that stand beside those of other categories. */
function inLines(text: string): string {
  return text
    .split(" ")
    .reduce<string[]>((lines, word) => {
      const last = lines.at(-1);
      if (last === undefined || last.length + 1 + word.length > LINE_CHARS) return [...lines, word];
      return [...lines.slice(0, -1), `${last} ${word}`];
    }, [])
    .join("\n");
}

function dataOf(plot: Plot, series: Series): unknown[] {
  const { factor } = series.right?.scale ?? plot.y.scale;
  const scaled = series.values.map((value) => (value === null ? null : value / factor));
  if (plot.kind !== "scatter" && !plot.x.timed) return scaled;
  // A logarithmic axis has no place for zero.
  const shown = (value: number | null): number | null =>
    plot.log && value !== null && value <= 0 ? null : value;
  return scaled.map((value, row) => [
    shown((plot.x.numbers[row] ?? NaN) / plot.x.scale.factor),
    shown(value),
  ]);
}

function zoom(plot: Plot, bar: boolean, theme: ChartTheme): EChartsCoreOption[] {
  // Turning the wheel scrolls the page; with Ctrl it zooms, as in the timeline.
  const inside = {
    type: "inside",
    zoomOnMouseWheel: "ctrl",
    moveOnMouseWheel: false,
    preventDefaultMouseMove: false,
  };
  const zooms: EChartsCoreOption[] = [{ ...inside, xAxisIndex: 0 }];
  if (isPlaced(plot)) zooms.push({ ...inside, yAxisIndex: 0 });
  if (bar) zooms.push({ ...slider(theme), xAxisIndex: 0 });
  return zooms;
}

function slider(theme: ChartTheme): EChartsCoreOption {
  return {
    type: "slider",
    height: 14,
    bottom: 4,
    brushSelect: false,
    showDataShadow: false,
    moveHandleSize: 0,
    borderColor: theme.line,
    backgroundColor: "transparent",
    fillerColor: theme.line,
    handleStyle: { color: theme.surface, borderColor: theme.muted },
    textStyle: { color: theme.muted },
  };
}

function bracketed(label: string): { factor: number; label: string } {
  return { factor: 1, label: label && `(${label})` };
}

export interface HoverLine {
  label: string;
  colour: Series["colour"] | null;
  text: string;
}

/** What the hover card says about row `row`, or about slice `row` of a pie: every visible series, and their sum. */
export function hoverLines(
  plot: Plot,
  hidden: ReadonlySet<string>,
  row: number,
): { title: string; lines: HoverLine[] } {
  const shown = plot.series.filter((series) => !hidden.has(series.name));
  const text = (value: number | null, scale = plot.y.scale): string => {
    if (value === null) return "–";
    // What is small beside the rest has a unit of its own.
    const small = value !== 0 && scale === plot.y.scale && Math.abs(value) < scale.factor / 100;
    return small ? format(value, plot.y.unit) : withUnit(formatIn(value, scale), scale);
  };
  if (plot.kind === "pie") {
    const total = shown.reduce((sum, series) => sum + (series.values[0] ?? 0), 0);
    const slice = shown[row];
    const value = slice?.values[0] ?? null;
    return {
      title: slice?.label ?? "",
      lines: slice
        ? [
            { label: plot.y.label, colour: slice.colour, text: text(value) },
            { label: "Share of what is shown", colour: null, text: shareText(value, total) },
          ]
        : [],
    };
  }
  const told = plot.exclusive ? shown.filter((series) => hasValue(series, row)) : shown;
  const lines: HoverLine[] = told.map((series) => ({
    label: series.label,
    colour: series.colour,
    text: text(series.values[row] ?? null, series.right?.scale),
  }));
  if (plot.names) lines.unshift({ label: plot.x.label, colour: null, text: plot.x.texts[row] ?? "" });
  const stacked = told.filter((series) => !series.right);
  if (plot.stack && stacked.length > 1) {
    const sum = stacked.reduce((total, series) => total + (series.values[row] ?? 0), 0);
    lines.push({ label: "Together", colour: null, text: text(sum) });
  }
  if (plot.stack) lines.reverse();
  const facts = plot.facts.map(({ label, texts }) => ({ label, colour: null, text: texts[row] ?? "" }));
  const title = plot.names?.[row] ?? `${plot.x.label} ${plot.x.texts[row] ?? ""}`;
  return { title, lines: [...lines, ...facts] };
}

function shareText(value: number | null, total: number): string {
  return value === null || total === 0 ? "–" : `${formatIn(value / total, { factor: 0.01, label: "%" })} %`;
}
