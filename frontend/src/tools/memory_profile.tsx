/** Memory profile: one memory over time, its peak, what filled it then, and all memories to choose from. */
import { ChartCard } from "../charts/ChartCard";
import type { Extras } from "../charts/plot";
import { column, type Result } from "../result";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import { Picker } from "../widgets/Picker";
import { format } from "../units";
import type { ViewProps } from "./view";

const EXTRAS: Extras = {
  right: "fragmentation",
  facts: [
    "event",
    "requested_size",
    "allocation_size",
    "op_name",
    "step",
    "region_type",
    "data_type",
    "shape",
  ],
  steps: true,
};
const WITHOUT_FREE: Extras = { ...EXTRAS, hidden: ["free"] };
const NAMES = ["op_name"];
const BARS = ["total_size"];
const TOTALS = ["total_size", "occurrences"];

export default function MemoryProfile({ result, params, setParams }: ViewProps) {
  const { memories, timeline, breakdown } = result.tables;
  const chart = result.charts.find(({ name }) => name === "timeline");
  const shown = result.metrics.find(({ name }) => name === "memory_id")?.value;
  return (
    <>
      {memories && (
        <div class="view-controls">
          <Picker
            name="Memory"
            options={choices(result)}
            value={params["memory_id"] ?? String(shown ?? "")}
            onChoose={(id) => setParams({ memory_id: id })}
          />
        </div>
      )}
      {result.metrics.length > 0 && <MetricGroups metrics={result.metrics} />}
      {chart && (
        <ChartCard
          key={shown}
          chart={chart}
          table={timeline}
          extras={nearlyEmpty(result) ? WITHOUT_FREE : EXTRAS}
        />
      )}
      {breakdown && (
        <DataTable table={breakdown} name="memory_at_peak" names={NAMES} bars={BARS} totals={TOTALS} />
      )}
      {memories && memories.rows > 1 && <DataTable table={memories} name="memories" />}
    </>
  );
}

/** Whether what is free would leave no room for the rest. */
function nearlyEmpty(result: Result): boolean {
  const number = (name: string) => Number(result.metrics.find((metric) => metric.name === name)?.value);
  return number("peak_in_use") < 0.05 * number("capacity");
}

function choices(result: Result) {
  const { memories } = result.tables;
  const peaks = column(memories, "peak_in_use")?.values;
  return (column(memories, "memory_id")?.values ?? []).map((id, row) => ({
    value: String(id),
    label: String(id),
    detail: `${format(peaks?.[row] ?? null, "bytes")} in use at its peak`,
  }));
}
