/** The steps of a run by what their time was spent on, beside their averages. A click shows a step on the timeline. */
import { ChartCard } from "../charts/ChartCard";
import { column, type Result, type Table } from "../result";
import { go } from "../state";
import { MetricList } from "./Metrics";

/** Shows one step on the timeline. */
function openStep(steps: Table | undefined, row: number): void {
  const begin = column(steps, "begin")?.values[row];
  const duration = column(steps, "step_time")?.values[row];
  if (typeof begin !== "number" || typeof duration !== "number") return;
  go({ tool: "trace_viewer", params: { start_ps: String(begin), end_ps: String(begin + duration) } });
}

/** Reads the chart `step_time` and the metrics of the group of that name. */
export function StepTime({ result }: { result: Result }) {
  const metrics = result.metrics.filter((metric) => metric.group === "step_time");
  const chart = result.charts.find((found) => found.name === "step_time");
  const steps = chart && result.tables[chart.table];
  return (
    <div class="overview-steps">
      {chart && <ChartCard chart={chart} table={steps} onPick={(row) => openStep(steps, row)} />}
      {metrics.length > 0 && (
        <section class="card" aria-label="Step time">
          <h2>Step time, average</h2>
          <MetricList metrics={metrics} comparable />
        </section>
      )}
    </div>
  );
}
