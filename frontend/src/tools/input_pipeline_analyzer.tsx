/** Whether the run waits for input: the verdict, then the steps and workers that wait, then the stages and ops at fault. */
import { ChartCard } from "../charts/ChartCard";
import { DataTable } from "../table/DataTable";
import { column, type Table } from "../result";
import { format } from "../units";
import { MetricTiles } from "../widgets/Metrics";
import { StepTime } from "../widgets/StepTime";
import { Verdict } from "../widgets/Verdict";
import type { ViewProps } from "./view";

const NAMES = ["operation"];
const BARS = ["self_time"];
const TOTALS = ["occurrences", "self_time", "self_share"];

export default function InputPipeline({ result }: ViewProps) {
  const { stages, input_ops: ops } = result.tables;
  const input = result.metrics.filter((metric) => metric.group === "input");
  return (
    <>
      <Verdict result={result} />
      {input.length > 0 && <MetricTiles metrics={input} />}
      <StepTime result={result} />
      <div class="side-by-side">
        {result.charts
          .filter((chart) => chart.name !== "step_time")
          .map((chart) => (
            <ChartCard key={chart.name} chart={chart} table={result.tables[chart.table]} />
          ))}
      </div>
      <Advice stages={stages} />
      {ops && (
        <DataTable table={ops} name="input_ops" title={ops.label} names={NAMES} bars={BARS} totals={TOTALS} />
      )}
    </>
  );
}

/** How to make each stage faster that takes any time, the slowest first. */
function Advice({ stages }: { stages: Table | undefined }) {
  const values = (name: string) => column(stages, name)?.values ?? [];
  const shares = values("share").map(Number);
  const rows = shares
    .map((_, row) => row)
    .filter((row) => (shares[row] ?? 0) > 0)
    .sort((one, other) => (shares[other] ?? 0) - (shares[one] ?? 0));
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-label="How to make the input pipeline faster">
      <h2>How to make the input pipeline faster</h2>
      <dl class="stage-advice">
        {rows.map((row) => (
          <div key={row}>
            <dt>
              {String(values("stage")[row])} <span class="muted">{format(shares[row] ?? 0, "share")}</span>
            </dt>
            <dd>{String(values("advice")[row])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
