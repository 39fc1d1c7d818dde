/** tf.data pipelines: what holds the slowest up, every pipeline, and the iterators below one call as a graph. */
import { ChartCard } from "../charts/ChartCard";
import { column, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { format } from "../units";
import { MetricGroups } from "../widgets/Metrics";
import { NoteList } from "../widgets/Notes";
import { PipelineGraph } from "../widgets/PipelineGraph";
import { Picker, type Option } from "../widgets/Picker";
import type { ViewProps } from "./view";

const FIRST = [
  "iterator",
  "long_name",
  "dataset",
  "total_time",
  "self_time",
  "calls",
  "bottleneck",
  "critical",
];
const HIDDEN = ["id", "parent"];

export default function TfData({ result, setParams }: ViewProps) {
  const { bottlenecks, pipelines, calls, graph } = result.tables;
  const metric = (name: string): string => String(result.metrics.find((found) => found.name === name)?.value);
  const chart = result.charts.find(({ name }) => name === "calls");
  return (
    <>
      <NoteList notes={result.notes.filter((note) => note.severity === "warning")} />
      {result.metrics.length > 0 && (
        <MetricGroups metrics={result.metrics.filter(({ group }) => group === "")} />
      )}
      {bottlenecks && bottlenecks.rows > 0 && <DataTable table={bottlenecks} name="tf_data_bottlenecks" />}
      {pipelines && <DataTable table={pipelines} name="tf_data_pipelines" />}
      {pipelines && calls && graph && (
        <section class="card" aria-label="Iterators of a call">
          <div class="view-controls">
            <Picker
              name="Pipeline"
              options={pipelineOptions(pipelines)}
              value={`${metric("pipeline")} ${metric("of_host")}`}
              onChoose={(value) => {
                const [pipeline = "", ...host] = value.split(" ");
                setParams({ pipeline, of_host: host.join(" "), rank: null });
              }}
            />
            <Picker
              name="Rank"
              options={rankOptions(calls)}
              value={metric("rank")}
              onChoose={(rank) => setParams({ rank })}
            />
          </div>
          <PipelineGraph table={graph} />
        </section>
      )}
      {chart && (
        <ChartCard
          key={`${metric("pipeline")} ${metric("of_host")}`}
          chart={chart}
          table={calls}
          onPick={(row) => setParams({ rank: String(row) })}
        />
      )}
      {graph && <DataTable table={graph} name="tf_data_iterators" first={FIRST} hidden={HIDDEN} />}
    </>
  );
}

function pipelineOptions(pipelines: Table): Option[] {
  const values = (name: string) => column(pipelines, name)?.values ?? [];
  const hosts = values("host");
  return values("pipeline").map((pipeline, row) => ({
    value: `${pipeline} ${hosts[row]}`,
    label: new Set(hosts).size > 1 ? `${pipeline} on ${hosts[row]}` : String(pipeline),
    detail: `${format(values("max_latency")[row] ?? null, "ps")} at most`,
  }));
}

function rankOptions(calls: Table): Option[] {
  const latency = column(calls, "latency")?.values ?? [];
  return (column(calls, "rank")?.values ?? []).map((rank, row) => ({
    value: String(rank),
    label: String(rank),
    detail: format(latency[row] ?? null, "ps"),
  }));
}
