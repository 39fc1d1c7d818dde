/** What stands out in a chart because it is pointed at elsewhere, as a series over all others. */
import type { EChartsCoreOption } from "echarts/core";
import type { ChartTheme } from "./palette";
import type { Plot } from "./plot";

export interface Emphasis {
  /** A row of a scatter chart, which gets a ring. */
  row?: number | null;
  /** Rows from one to another, shaded over the whole height, and up to `height` in the unit of the table. */
  span?: { first: number; last: number; height: number } | null;
}

export function emphasisOf(
  plot: Plot,
  { row = null, span = null }: Emphasis,
  theme: ChartTheme,
): EChartsCoreOption {
  return {
    series: [
      {
        id: "emphasis",
        silent: true,
        tooltip: { show: false },
        z: 5,
        ...(plot.kind === "scatter" ? ring(plot, row, theme) : shade(plot, span, theme)),
      },
    ],
  };
}

function ring(plot: Plot, row: number | null, theme: ChartTheme): EChartsCoreOption {
  const x = row === null ? null : plot.x.numbers[row];
  const y = row === null ? null : plot.series[0]?.values[row];
  return {
    type: "scatter",
    symbolSize: 16,
    itemStyle: { color: "transparent", borderColor: theme.text, borderWidth: 2 },
    data: x && y ? [[x / plot.x.scale.factor, y / plot.y.scale.factor]] : [],
  };
}

function shade(plot: Plot, span: Emphasis["span"], theme: ChartTheme): EChartsCoreOption {
  const [from, to] = [{ xAxis: span?.first }, { xAxis: span?.last }];
  const top = (span?.height ?? 0) / plot.y.scale.factor;
  return {
    type: "line",
    data: [],
    markArea: {
      silent: true,
      itemStyle: { color: theme.text, opacity: 0.12 },
      data: span
        ? [
            [from, to],
            [
              { ...from, yAxis: 0, itemStyle: { opacity: 0.5 } },
              { ...to, yAxis: top },
            ],
          ]
        : [],
    },
  };
}
