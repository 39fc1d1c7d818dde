/** A compiled program as a graph: the instructions around one of them, what is known of each, and the whole as text. */
import { useMemo } from "preact/hooks";
import { Canvas } from "../graph/Canvas";
import { Details } from "../graph/Details";
import { Downloads } from "../graph/Downloads";
import { InstructionSearch } from "../graph/InstructionSearch";
import { Legend } from "../graph/Legend";
import { graphOf } from "../graph/model";
import { HEIGHT, TALL, WIDTH } from "../graph/NodeBox";
import { useArranged } from "../graph/useArranged";
import { useLast } from "../resource";
import { column, type Result, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { format } from "../units";
import { NoteList } from "../widgets/Notes";
import { Picker } from "../widgets/Picker";
import type { Params, ViewProps } from "./view";

const FIRST = [
  "name",
  "opcode",
  "category",
  "shape",
  "distance",
  "occurrences",
  "self_time",
  "flops",
  "bytes",
];
const BARS = ["self_time"];
const RARELY_READ = ["inside", "open", "more_operands", "more_users", "total_time"];

/** What an address names can be drawn before the events tell how long each instruction ran. */
export const sooner = ({ module, node }: Params): string | null => (module && node ? "graph" : null);

export default function GraphViewer(props: ViewProps) {
  const { result, params, setParams, query } = props;
  const { modules, nodes, edges } = result.tables;
  const module = metricOf(result, "module") || params["module"] || "";
  const go = (to: string, node: string): void =>
    setParams({ module: to || null, node, selected: null, find: null });
  const centre = (node: string): void => go(module, node);
  return (
    <>
      <NoteList notes={result.notes.filter(({ severity }) => severity !== "info")} />
      {modules && (
        <div class="view-controls graph-controls">
          <Picker
            name="Module"
            options={choices(modules)}
            value={module}
            onChoose={(next) => setParams({ module: next, node: null, selected: null })}
          />
          <InstructionSearch
            key={`${module} ${params["find"] ?? ""}`}
            module={module}
            query={query}
            initial={params["find"] ?? ""}
            onChoose={go}
          />
          <Controls params={params} setParams={setParams} />
          <span class="spacer" />
          <Downloads module={module} query={query} />
        </div>
      )}
      {nodes && edges && <Picture {...props} nodes={nodes} edges={edges} module={module} onCentre={centre} />}
    </>
  );
}

interface PictureProps extends ViewProps {
  nodes: Table;
  edges: Table;
  module: string;
  onCentre: (name: string) => void;
}

function Picture({
  result,
  run,
  host,
  params,
  setParams,
  query,
  nodes,
  edges,
  module,
  onCentre,
}: PictureProps) {
  const graph = useMemo(() => graphOf(nodes, edges), [nodes, edges]);
  const withOp = params["ops"] === "true";
  const drawn = useArranged(graph, WIDTH, withOp ? TALL : HEIGHT);
  const drawing = useLast(drawn.state === "ready" ? drawn.drawing : null, module);
  const isDrawn = (name: string): boolean => graph.nodes.some((node) => node.name === name);
  const middle = metricOf(result, "node");
  const selected = isDrawn(params["selected"] ?? "") ? (params["selected"] as string) : middle;
  const select = (name: string | null): void =>
    setParams({ selected: name === middle ? null : name }, { replace: true });
  const callers = metricOf(result, "callers");
  return (
    <>
      <div class="graph-view">
        <section class="card graph-card" aria-label="Graph">
          {drawing && (
            <Canvas
              drawing={drawing}
              label={`Instructions around ${middle}`}
              selected={selected}
              withOp={withOp}
              onSelect={select}
              onCentre={onCentre}
            />
          )}
          {!drawing && (
            <p class="graph-canvas muted">{drawn.state === "failed" ? FAILED : "Arranging the graph"}</p>
          )}
          <div class="graph-foot">
            <Legend nodes={graph.nodes} />
            <p class="muted">
              {nodes.rows} of {format(valueOf(result, "instructions"), "count")} instructions, in{" "}
              {metricOf(result, "computation")}
              {callers && <>, called by {callers}</>}. Drag to move, Ctrl and wheel to zoom, double-click to
              go on from an instruction.
            </p>
          </div>
        </section>
        <Details
          run={run}
          host={host}
          module={module}
          name={selected}
          isCentre={selected === middle}
          query={query}
          onGo={(name) => (isDrawn(name) ? select(name) : onCentre(name))}
          onCentre={onCentre}
        />
      </div>
      <DataTable
        table={nodes}
        name="graph_viewer"
        title="Instructions drawn"
        module={module}
        first={FIRST}
        bars={BARS}
        hidden={RARELY_READ}
      />
    </>
  );
}

const FAILED = "The graph could not be arranged. The table below holds the same instructions.";
const MOST_EDGES = 30;

function Controls({ params, setParams }: Pick<ViewProps, "params" | "setParams">) {
  return (
    <>
      <label class="check" data-tip="Edges from the middle to the outermost instructions">
        Radius
        <input
          class="field graph-radius"
          type="number"
          min={0}
          max={MOST_EDGES}
          value={params["radius"] ?? "2"}
          onChange={({ currentTarget: { value } }) =>
            setParams({ radius: value === "" || value === "2" ? null : value })
          }
        />
      </label>
      <label class="check" data-tip="Draw a fusion as one instruction, not as what it fuses">
        <input
          type="checkbox"
          checked={params["merge_fusions"] !== "false"}
          onChange={({ currentTarget: { checked } }) =>
            setParams({ merge_fusions: checked ? null : "false" })
          }
        />
        Merge fusions
      </label>
      <label class="check" data-tip="Write the TensorFlow or JAX op of each instruction into its box">
        <input
          type="checkbox"
          checked={params["ops"] === "true"}
          onChange={({ currentTarget: { checked } }) => setParams({ ops: checked ? "true" : null })}
        />
        Framework ops
      </label>
    </>
  );
}

function choices(modules: Table) {
  const [times, sizes] = ["time", "bytes"].map((name) => column(modules, name)?.values ?? []);
  const untimed = times?.some((time) => time !== null) ? "; no run was recorded" : "";
  return (column(modules, "module")?.values ?? []).map((name, row) => ({
    value: String(name),
    label: String(name),
    detail:
      times?.[row] == null
        ? `${format(sizes?.[row] ?? null, "bytes")} of HLO${untimed}`
        : `${format(times[row] ?? null, "ps")} in its instructions`,
  }));
}

function valueOf(result: Result, name: string) {
  return result.metrics.find((metric) => metric.name === name)?.value ?? null;
}

function metricOf(result: Result, name: string): string {
  return String(valueOf(result, name) ?? "");
}
