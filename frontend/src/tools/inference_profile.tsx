/** Requests for inference: latency at percentiles and what it goes by in, requests and batches, for all models or one. */
import { ChartCard } from "../charts/ChartCard";
import { column, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { format } from "../units";
import { MetricTiles } from "../widgets/Metrics";
import { NoteList } from "../widgets/Notes";
import { Picker, type Option } from "../widgets/Picker";
import type { ViewProps } from "./view";

const BARS = ["latency"];

export default function InferenceProfile({ result, params, setParams }: ViewProps) {
  const { models, percentiles, requests, batches, batch_sizes: sizes } = result.tables;
  const model = params["model"] ?? "";
  return (
    <>
      {models && models.rows > 1 && (
        <div class="view-controls">
          <Picker
            name="Model"
            options={choices(models)}
            value={model}
            onChoose={(name) => setParams({ model: name || null })}
          />
        </div>
      )}
      {result.metrics.length > 0 && <MetricTiles metrics={result.metrics} />}
      {result.notes.length > 0 && <NoteList notes={result.notes} />}
      {result.charts.length > 0 && (
        <div class="side-by-side">
          {result.charts.map((chart) => (
            <ChartCard key={`${chart.name} ${model}`} chart={chart} table={result.tables[chart.table]} />
          ))}
        </div>
      )}
      {percentiles && <DataTable table={percentiles} name="inference_percentiles" bars={BARS} />}
      {requests && <DataTable table={requests} name="inference_requests" bars={BARS} />}
      {batches && <DataTable table={batches} name="inference_batches" bars={BARS} />}
      {sizes && <DataTable table={sizes} name="inference_batch_sizes" />}
      {models && models.rows > 1 && <DataTable table={models} name="inference_models" />}
    </>
  );
}

function choices(models: Table): Option[] {
  const latency = column(models, "avg_latency")?.values ?? [];
  const named = (column(models, "model")?.values ?? []).map((name, row) => ({
    value: String(name),
    label: String(name),
    detail: `${format(latency[row] ?? null, "ps")} on average`,
  }));
  return [{ value: "", label: "All models" }, ...named];
}
