/** HLO ops: where their time goes, by category, op and program, and every op in a table. */
import { ChartCard } from "../charts/ChartCard";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import type { ViewProps } from "./view";

/** Columns that are read together, before the others. */
const FIRST = [
  "rank",
  "operation",
  "category",
  "occurrences",
  "total_self_time",
  "avg_self_time",
  "self_share",
  "flop_rate",
  "memory_bandwidth",
  "bound_by",
  "operational_intensity",
];
const BARS = ["total_self_time"];
const TOTALS = ["occurrences", "total_self_time"];
const RARELY_READ = [
  "program_id",
  "total_time",
  "avg_time",
  "model_flop_rate",
  "hbm_bandwidth",
  "rematerialized",
  "outside_compilation",
];

export default function HloStats({ result }: ViewProps) {
  const ops = result.tables["ops"];
  return (
    <>
      {result.metrics.length > 0 && <MetricGroups metrics={result.metrics} />}
      {result.charts.length > 0 && (
        <div class="side-by-side">
          {result.charts.map((chart) => (
            <ChartCard key={chart.name} chart={chart} table={result.tables[chart.table]} />
          ))}
        </div>
      )}
      {ops && (
        <DataTable
          table={ops}
          name="hlo_stats"
          title="HLO ops"
          first={FIRST}
          bars={BARS}
          totals={TOTALS}
          hidden={RARELY_READ}
        />
      )}
    </>
  );
}
