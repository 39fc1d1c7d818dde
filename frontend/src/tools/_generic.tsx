/** Any result: its metrics, charts and tables, in that order, so that a tool needs no view of its own. */
import { ChartCard } from "../charts/ChartCard";
import { DataTable } from "../table/DataTable";
import { MetricGroups } from "../widgets/Metrics";
import type { ViewProps } from "./view";

export default function Generic({ result, run }: ViewProps) {
  const drawn = new Set(result.charts.map((chart) => chart.table));
  const pies = result.charts.filter((chart) => chart.kind === "pie");
  const others = result.charts.filter((chart) => chart.kind !== "pie");
  // A table that only feeds a pie is shown by the pie; every chart can be turned into its table.
  const tables = Object.entries(result.tables).filter(
    ([name]) => !drawn.has(name) || others.some((chart) => chart.table === name),
  );
  return (
    <>
      {result.metrics.length > 0 && <MetricGroups metrics={result.metrics} />}
      {others.map((chart) => (
        <ChartCard
          key={chart.name}
          chart={chart}
          table={result.tables[chart.table]}
          lines={result.tables[chart.lines ?? ""]}
        />
      ))}
      {pies.length > 0 && (
        <div class="side-by-side">
          {pies.map((chart) => (
            <ChartCard key={chart.name} chart={chart} table={result.tables[chart.table]} />
          ))}
        </div>
      )}
      {tables.map(([name, table]) => (
        <DataTable
          key={name}
          table={table}
          name={`${fileName(run)}_${result.tool}_${name}`}
          title={table.label || name}
        />
      ))}
    </>
  );
}

function fileName(run: string): string {
  return run.replaceAll(/[^\w.-]+/g, "_");
}
