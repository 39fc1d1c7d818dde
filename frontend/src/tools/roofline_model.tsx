/** The roofline model: ops, program and steps under the roofs of the device, and their tables. */
import { ChartCard } from "../charts/ChartCard";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import type { ViewProps } from "./view";

const BARS = ["total_self_time"];
const RARELY_READ = [
  "program_id",
  "framework_op",
  "total_time",
  "avg_time",
  "avg_self_time",
  "cumulative_share",
  "time_share",
  "time_per_core",
  "model_flop_rate",
  "hbm_bandwidth",
  "hbm_intensity",
  "operational_intensity",
];

export default function RooflineModel({ result, params, setParams }: ViewProps) {
  const { ops, steps } = result.tables;
  const summary = result.metrics.filter((metric) => metric.group === "");
  const device = result.metrics.filter((metric) => metric.group !== "");
  const feeds = params["infeed_outfeed"] !== "false";
  return (
    <>
      {summary.length > 0 && <MetricGroups metrics={summary} />}
      <div class="view-controls">
        <label class="check" data-tip="Count ops that hand data between host and device, and their time">
          <input
            type="checkbox"
            checked={feeds}
            onChange={(event) => setParams({ infeed_outfeed: event.currentTarget.checked ? null : "false" })}
          />
          Infeed and outfeed
        </label>
      </div>
      {result.charts.map((chart) => (
        <ChartCard
          key={chart.name}
          chart={chart}
          table={result.tables[chart.table]}
          lines={result.tables[chart.lines ?? ""]}
        />
      ))}
      {ops && <DataTable table={ops} name="roofline_ops" title="HLO ops" bars={BARS} hidden={RARELY_READ} />}
      {steps && <DataTable table={steps} name="roofline_steps" hidden={RARELY_READ} />}
      {device.length > 0 && <MetricGroups metrics={device} />}
    </>
  );
}
