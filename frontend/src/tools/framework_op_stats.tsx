/** Framework ops: where their time goes, by op and by type, on devices and on the host, and every op in a table. */
import { ChartCard } from "../charts/ChartCard";
import type { Chart, Result } from "../result";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import type { ViewProps } from "./view";

const BARS = ["total_self_time"];
const TOTALS = ["occurrences", "total_self_time"];
const FIRST = [
  "rank",
  "host_or_device",
  "type",
  "operation",
  "total_self_time",
  "device_self_share",
  "host_self_share",
];
const RARELY_READ = ["avg_time", "model_flop_rate"];

export default function FrameworkOpStats({ result, params, setParams }: ViewProps) {
  const idle = params["include_idle"] === "true";
  const ops = result.tables["ops"];
  return (
    <>
      {result.metrics.length > 0 && <MetricGroups metrics={result.metrics} />}
      <div class="view-controls">
        <label
          class="check"
          data-tip="Show the time in which no op ran as an op called IDLE, and count it in shares"
        >
          <input
            type="checkbox"
            checked={idle}
            onChange={(event) => setParams({ include_idle: event.currentTarget.checked ? "true" : null })}
          />
          Include idle time
        </label>
      </div>
      {["device", "host"].map((side) => (
        <Pies
          key={side}
          result={result}
          charts={result.charts.filter((chart) => chart.name.startsWith(side))}
        />
      ))}
      {ops && (
        <DataTable
          table={ops}
          name="framework_op_stats"
          title="Operations"
          first={FIRST}
          bars={BARS}
          totals={TOTALS}
          hidden={RARELY_READ}
        />
      )}
    </>
  );
}

/** The charts of one side, beside each other. */
function Pies({ result, charts }: { result: Result; charts: Chart[] }) {
  if (charts.length === 0) return null;
  return (
    <div class="side-by-side">
      {charts.map((chart) => (
        <ChartCard key={chart.name} chart={chart} table={result.tables[chart.table]} />
      ))}
    </div>
  );
}
