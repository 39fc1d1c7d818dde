/** GPU kernels: where their time goes, and every kernel by launch configuration, by name or by op. */
import { ChartCard } from "../charts/ChartCard";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import { Tabs } from "../widgets/Tabs";
import type { ViewProps } from "./view";

const GROUPINGS = [
  { name: "kernels", label: "By launch configuration" },
  { name: "by_kernel", label: "By kernel" },
  { name: "by_op", label: "By op" },
];
/** Columns that are read together, before the others. */
const FIRST = [
  "rank",
  "kernel_name",
  "op_name",
  "occurrences",
  "total_time",
  "share",
  "avg_time",
  "occupancy",
  "uses_tensor_core",
  "op_tensor_core_eligible",
  "tensor_core_share",
];
const BARS = ["total_time"];
const TOTALS = ["occurrences", "total_time"];

export default function KernelStats({ result, params, setParams }: ViewProps) {
  const grouping = params["group"] ?? "kernels";
  const table = result.tables[grouping] ?? result.tables["kernels"];
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
      {table && (
        <Tabs
          label="Group kernels"
          tabs={GROUPINGS}
          value={grouping}
          onChoose={(name) => setParams({ group: name === "kernels" ? null : name })}
        >
          <DataTable
            key={grouping}
            table={table}
            name={`kernel_stats_${grouping}`}
            first={FIRST}
            bars={BARS}
            totals={TOTALS}
          />
        </Tabs>
      )}
    </>
  );
}
