/** The only file that knows the chart library. Loaded when the first chart is shown. */
import { BarChart, CustomChart, LineChart, PieChart, ScatterChart } from "echarts/charts";
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use as register, type ECharts } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../theme";
import { emphasisOf, type Emphasis } from "./emphasis";
import { heightOf, hoverLines, optionOf } from "./options";
import { readTheme, variableOf } from "./palette";
import { hasValue, type Plot } from "./plot";
import { followPointer } from "./pointer";

register([
  BarChart,
  CustomChart,
  LineChart,
  PieChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TitleComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export interface ChartProps {
  plot: Plot;
  hidden: ReadonlySet<string>;
  onZoom: (zoomed: boolean) => void;
  /** Counted up to show the whole again. */
  resets: number;
  /** Called with the row that was clicked. */
  onPick?: ((row: number) => void) | undefined;
  /** Called with the row that is pointed at, null when none is. */
  onPoint?: ((row: number | null) => void) | undefined;
  /** The row that keys have moved to, whose hover card is shown. */
  at: number | null;
  emphasis?: Emphasis | undefined;
}

export function Chart({ plot, hidden, onZoom, resets, onPick, onPoint, at, emphasis }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts | null>(null);
  const handlers = useRef({ plot, onZoom, onPick, onPoint });
  handlers.current = { plot, onZoom, onPick, onPoint };

  useEffect(() => {
    if (!element.current) return;
    const made = init(element.current, null, { renderer: "canvas" });
    chart.current = made;
    made.on("datazoom", () => handlers.current.onZoom(isZoomed(made)));
    followPointer(made, () => handlers.current);
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element.current);
    return () => {
      observer.disconnect();
      made.dispose();
    };
  }, []);

  const colours = theme.value;
  useEffect(() => {
    if (!chart.current || !element.current) return;
    const option = optionOf(plot, readTheme(element.current), { hidden });
    const formatter = (given: unknown): HTMLElement => hoverCard(plot, hidden, rowOf(given));
    const card = {
      className: "chart-hover",
      backgroundColor: "transparent",
      borderWidth: 0,
      padding: 0,
      extraCssText: "box-shadow:none",
      transitionDuration: 0,
    };
    chart.current.setOption(
      { ...option, tooltip: { ...(option["tooltip"] as object), ...card, formatter } },
      { notMerge: true },
    );
  }, [plot, hidden, colours]);

  useEffect(() => {
    if (!chart.current || !element.current || !emphasis) return;
    chart.current.setOption(emphasisOf(plot, emphasis, readTheme(element.current)));
  }, [plot, hidden, colours, emphasis]);

  useEffect(() => {
    const shown = plot.series.filter((series) => !hidden.has(series.name));
    const place = at === null ? -1 : shown.findIndex((series) => hasValue(series, at));
    if (place < 0) chart.current?.dispatchAction({ type: "hideTip" });
    else
      chart.current?.dispatchAction({
        type: "showTip",
        seriesIndex: plot.lines.length + place,
        dataIndex: at,
      });
  }, [plot, hidden, at]);

  useEffect(() => {
    if (resets > 0) chart.current?.dispatchAction({ type: "dataZoom", start: 0, end: 100 });
  }, [resets]);

  return (
    <div ref={element} class="chart-canvas" style={{ minHeight: `${heightOf(plot)}px` }} aria-hidden="true" />
  );
}

const PICTURE = { width: 960, height: 480 };

/** The chart as a picture with title and legend. */
export function pictureOf(plot: Plot, hidden: ReadonlySet<string>, kind: "png" | "svg"): Promise<Blob> {
  const option = optionOf(plot, readTheme(document.documentElement), { hidden, standalone: true });
  if (kind === "svg") {
    const chart = init(null, null, { renderer: "svg", ssr: true, ...PICTURE });
    chart.setOption(option);
    const svg = chart.renderToSVGString();
    chart.dispose();
    return Promise.resolve(new Blob([svg], { type: "image/svg+xml" }));
  }
  const chart = init(document.createElement("div"), null, {
    renderer: "canvas",
    devicePixelRatio: 2,
    ...PICTURE,
  });
  chart.setOption(option);
  const canvas = chart.renderToCanvas({ pixelRatio: 2 });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      chart.dispose();
      if (blob) resolve(blob);
      else reject(new Error("The browser could not make a picture."));
    });
  });
}

function isZoomed(chart: ECharts): boolean {
  const zooms = (chart.getOption()["dataZoom"] ?? []) as { start: number; end: number }[];
  return zooms.some(({ start, end }) => start > 0.01 || end < 99.99);
}

function rowOf(given: unknown): number {
  const item = (Array.isArray(given) ? given[0] : given) as { dataIndex?: number } | undefined;
  return item?.dataIndex ?? 0;
}

function hoverCard(plot: Plot, hidden: ReadonlySet<string>, row: number): HTMLElement {
  const { title, lines } = hoverLines(plot, hidden, row);
  const card = make("div", "chart-card-hover");
  card.append(make("strong", "", title));
  const list = make("dl", "number");
  for (const { label, colour, text } of lines) {
    const swatch = make("span", "swatch");
    if (colour !== null) swatch.style.background = variableOf(colour);
    const term = make("dt", "", label);
    if (colour !== null) term.prepend(swatch);
    list.append(term, make("dd", "", text));
  }
  card.append(list);
  return card;
}

function make(tag: string, className: string, text = ""): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
