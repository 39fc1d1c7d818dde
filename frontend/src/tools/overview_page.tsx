/** The first screen of a session: what limits this run, with the evidence and the next click; then step time, then the rest. */
import { ChartCard } from "../charts/ChartCard";
import type { Table } from "../result";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import { StepTime } from "../widgets/StepTime";
import { Verdict } from "../widgets/Verdict";
import type { ViewProps } from "./view";

const TITLES = { performance: "Performance", environment: "Run environment" };
const BARS = ["self_time", "total_self_time"];

export default function Overview({ result }: ViewProps) {
  const rest = result.metrics.filter((metric) => metric.group !== "verdict" && metric.group !== "step_time");
  const topOps = result.tables["top_ops"];
  return (
    <>
      <Verdict result={result} />
      <StepTime result={result} />
      {result.charts
        .filter((chart) => chart.name !== "step_time")
        .map((chart) => (
          <ChartCard key={chart.name} chart={chart} table={result.tables[chart.table]} />
        ))}
      {topOps && topOps.rows > 0 && (
        <DataTable table={topOps} name="top_ops" title={topOps.label || "Top 10 operations"} bars={BARS} />
      )}
      {rest.length > 0 && <MetricGroups metrics={rest} titles={TITLES} />}
      <Environment table={result.tables["environment"]} />
    </>
  );
}

/** The run environment as pairs of name and value; a table of another shape is shown as it is. */
function Environment({ table }: { table: Table | undefined }) {
  if (!table || table.rows === 0) return null;
  return <DataTable table={table} name="environment" title={table.label || "Run environment"} />;
}
