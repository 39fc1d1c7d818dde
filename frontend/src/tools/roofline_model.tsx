/** The roofline model: ops, program and steps under the roofs of the device, each chart linked with its table. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ChartCard } from "../charts/ChartCard";
import { column, type Chart, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { takeRows } from "../table/rows";
import { MetricGroups } from "../widgets/Metrics";
import { Picker } from "../widgets/Picker";
import type { ViewProps } from "./view";

const BARS = ["total_self_time"];
const NONE: readonly string[] = [];
const WHOLE = "";
/** Rows of the table of steps that are no step. */
const NO_STEPS = new Set(["Total", "Average"]);
/** Columns that are read together, before the others. */
const FIRST = [
  "step",
  "operation",
  "category",
  "total_self_time",
  "self_share",
  "flop_rate",
  "memory_bandwidth",
  "bound_by",
  "bottleneck_intensity",
  "efficiency",
];
const RARELY_READ = [
  "rank",
  "occurrences",
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
  const names = (column(steps, "step")?.values ?? []).map(String).filter((name) => !NO_STEPS.has(name));
  const pick = (step: string): void => setParams({ step: step || null });
  const chartOf = (table: string) => result.charts.find((chart) => chart.table === table);
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
        {names.length > 0 && (
          <Picker
            name="Ops of"
            options={[WHOLE, ...names].map((value) => ({
              value,
              label: value ? `step ${value}` : "the whole capture",
            }))}
            value={params["step"] ?? WHOLE}
            onChoose={pick}
          />
        )}
      </div>
      {ops && (
        <Linked table={ops} chart={chartOf("ops")} lines={result.tables["roofs"]} bars={BARS} onPick={null} />
      )}
      {steps && (
        <Linked
          table={steps}
          chart={chartOf("steps")}
          lines={result.tables["roofs"]}
          bars={NONE}
          onPick={(row) => pick(stepAt(steps, row))}
        />
      )}
      {device.length > 0 && <MetricGroups metrics={device} />}
    </>
  );
}

function stepAt(steps: Table, row: number): string {
  const name = String(column(steps, "step")?.values[row] ?? WHOLE);
  return NO_STEPS.has(name) ? WHOLE : name;
}

interface LinkedProps {
  table: Table;
  chart: Chart | undefined;
  lines: Table | undefined;
  bars: readonly string[];
  onPick: ((row: number) => void) | null;
}

/** A chart of what its table shows: what is pointed at in one of them stands out in the other. */
function Linked({ table, chart, lines, bars, onPick }: LinkedProps) {
  const [rows, setRows] = useState<Uint32Array | null>(null);
  const [inChart, setInChart] = useState<number | null>(null);
  const [inTable, setInTable] = useState<number | null>(null);
  const current = rows && rows.every((row) => row < table.rows) ? rows : null;
  const shown = useMemo(() => (current ? takeRows(table, current) : table), [table, current]);
  const rowAt = (place: number): number => current?.[place] ?? place;
  const pointed = inChart ?? inTable;
  const place = pointed === null ? null : current ? current.indexOf(pointed) : pointed;
  const emphasis = useMemo(() => ({ row: place }), [place]);
  useEffect(() => {
    setInChart(null);
    setInTable(null);
  }, [table]);
  return (
    <>
      {chart && (
        <ChartCard
          chart={chart}
          table={shown}
          lines={lines}
          emphasis={emphasis}
          onPoint={(at) => setInChart(at === null ? null : rowAt(at))}
          {...(onPick ? { onPick: (at: number) => onPick(rowAt(at)) } : {})}
        />
      )}
      <DataTable
        table={table}
        name={`roofline_${chart?.table ?? "table"}`}
        first={FIRST}
        bars={bars}
        hidden={RARELY_READ}
        marked={inChart}
        onPoint={setInTable}
        onShown={setRows}
      />
    </>
  );
}
