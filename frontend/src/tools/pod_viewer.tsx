/** The workers of a pod beside each other: the mean of their steps, or one step of all, chosen with a slider. */
import { useMemo } from "preact/hooks";
import { ChartCard } from "../charts/ChartCard";
import { column, type Chart, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { MetricTiles } from "../widgets/Metrics";
import { counted } from "../units";
import type { ViewProps } from "./view";

const BARS = ["step_time"];
/** Part of the worker's name. */
const HIDDEN = ["host"];

export default function PodViewer({ result, params, setParams }: ViewProps) {
  const { means, workers, exchange } = result.tables;
  const [chart] = result.charts;
  const steps = useMemo(() => [...new Set((column(workers, "step")?.values ?? []).map(String))], [workers]);
  const step = steps.indexOf(params["step"] ?? "");
  const shown = useMemo(
    () => (step < 0 ? means : ofStep(workers, steps[step])),
    [means, workers, steps, step],
  );
  const choose = (place: number): void => setParams({ step: steps[place] ?? null }, { replace: true });
  return (
    <>
      <MetricTiles metrics={result.metrics} />
      {chart && shown && (
        <>
          {steps.length > 1 && (
            <div class="card step-slider">
              <label>
                <span>Step</span>
                <input
                  type="range"
                  min={-1}
                  max={steps.length - 1}
                  value={step}
                  aria-valuetext={steps[step] ?? "mean over all steps"}
                  onInput={(event) => choose(Number(event.currentTarget.value))}
                />
              </label>
              <output>{steps[step] ?? `Mean over ${counted(steps.length, "step")}`}</output>
            </div>
          )}
          <ChartCard chart={step < 0 ? chart : chartOfStep(chart, steps[step])} table={shown} />
          <DataTable
            key={step < 0 ? "means" : "workers"}
            table={shown}
            name="pod_viewer"
            title={step < 0 ? shown.label : `Workers in step ${steps[step]}`}
            bars={BARS}
            hidden={HIDDEN}
          />
        </>
      )}
      {exchange && <DataTable table={exchange} name="exchange" title={exchange.label} />}
    </>
  );
}

function chartOfStep(chart: Chart, step: string | undefined): Chart {
  return { ...chart, name: "step", table: "workers", label: `Time of step ${step} by worker` };
}

/** The rows of one step, without the column that says which. */
function ofStep(workers: Table | undefined, step: string | undefined): Table | undefined {
  const values = column(workers, "step")?.values;
  if (!workers || !values) return undefined;
  const rows = values.flatMap((value, row) => (String(value) === step ? [row] : []));
  const columns = workers.columns
    .filter((each) => each.name !== "step")
    .map((each) => ({ ...each, values: rows.map((row) => each.values[row] ?? null) }));
  return { ...workers, rows: rows.length, columns };
}
