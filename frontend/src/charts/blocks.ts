/** Rectangles, one per row: from x to where the row ends, from y as high as the row is. */
import type { CustomSeriesRenderItem } from "echarts";
import type { EChartsCoreOption } from "echarts/core";
import type { ChartTheme } from "./palette";
import type { Plot, Series } from "./plot";

/** Colours that neighbours take in turn. */
const COLOURS = 10;
/** Pixels that a character takes, and those that are left free beside a name. */
const CHARACTER = 7;
const MARGIN = 8;
const LINE = 14;
/** Blocks of fewer pixels would be nothing but their border. */
const THIN = 4;

export function blockSeries(plot: Plot, series: Series, theme: ChartTheme): EChartsCoreOption {
  const { factor } = plot.y.scale;
  const left = (row: number): number => plot.x.numbers[row] ?? 0;
  const bottom = (row: number): number => (series.values[row] ?? 0) / factor;
  const renderItem: CustomSeriesRenderItem = ({ dataIndex: row }, api) => {
    const [x = 0, top = 0] = api.coord([api.value(0), api.value(3)]);
    const [end = 0, y = 0] = api.coord([api.value(1), api.value(2)]);
    const [width, height] = [Math.max(1, end - x), Math.max(1, y - top)];
    const name = plot.names?.[row] ?? "";
    const fits = height >= LINE && width >= name.length * CHARACTER + MARGIN;
    return {
      type: "rect",
      shape: { x, y: top, width, height },
      style: {
        fill: theme.colour((row % COLOURS) + 1),
        stroke: theme.surface,
        lineWidth: height > THIN ? 0.5 : 0,
      },
      ...(fits
        ? {
            textContent: {
              type: "text",
              style: { text: name, fill: theme.surface, fontFamily: theme.font, fontSize: 12 },
            },
            textConfig: { position: "inside" },
          }
        : {}),
    };
  };
  return {
    type: "custom",
    name: series.label,
    renderItem,
    encode: { x: [0, 1], y: [2, 3] },
    clip: true,
    data: plot.blocks.map(({ end, height }, row) => [
      left(row),
      end,
      bottom(row),
      bottom(row) + height / factor,
    ]),
  };
}
