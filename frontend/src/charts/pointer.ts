/** Which row of a chart the mouse is at: a mark where rows are placed by two numbers, else a place along the axis. */
import type { ECharts } from "echarts/core";
import { isPlaced, type Plot } from "./plot";

interface Handlers {
  plot: Plot;
  onPick?: ((row: number) => void) | undefined;
  onPoint?: ((row: number | null) => void) | undefined;
}

/** Calls the handlers that are current at the time of each event; `onPoint` only where the row changes. */
export function followPointer(chart: ECharts, current: () => Handlers): void {
  let last: number | null = null;
  const point = (row: number | null): void => {
    if (row === last) return;
    last = row;
    current().onPoint?.(row);
  };
  const canvas = chart.getZr();
  const marked = ({ dataIndex }: { dataIndex?: number }): number | null => dataIndex ?? null;
  canvas.on("mousemove", ({ offsetX, offsetY }) => {
    const { plot, onPoint } = current();
    if (onPoint && !isPlaced(plot)) point(rowAt(chart, plot, offsetX, offsetY));
  });
  canvas.on("globalout", () => point(null));
  canvas.on("click", ({ offsetX, offsetY }) => {
    const { plot, onPick } = current();
    const row = isPlaced(plot) ? last : rowAt(chart, plot, offsetX, offsetY);
    if (row !== null) onPick?.(row);
  });
  chart.on("mouseover", "series", (event) => {
    if (isPlaced(current().plot)) point(marked(event as { dataIndex?: number }));
  });
  chart.on("mouseout", "series", () => {
    if (isPlaced(current().plot)) point(null);
  });
}

/** The category below or above a point, so that nobody need hit the mark itself; null beside the axes. */
function rowAt(chart: ECharts, plot: Plot, x: number, y: number): number | null {
  if (!chart.containPixel("grid", [x, y])) return null;
  const [place] = chart.convertFromPixel("grid", [x, y]);
  const row = Math.round(place ?? NaN);
  return row >= 0 && row < plot.x.texts.length ? row : null;
}
