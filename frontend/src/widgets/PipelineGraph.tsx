/** The iterators of a pipeline as a tree, the one that returns to the program on top. */
import { type Table, type Value } from "../result";
import { format } from "../units";
import { MiddleText } from "./MiddleText";

interface Node {
  id: string;
  parent: string | null;
  name: string;
  tip: string;
  facts: { label: string; text: string }[];
  asynchronous: boolean;
  critical: boolean;
  bottleneck: boolean;
}

const FACTS = ["start", "total_time", "self_time", "calls"];

export function PipelineGraph({ table }: { table: Table }) {
  const nodes = readNodes(table);
  return (
    <>
      <p class="muted pipeline-key">
        Bold: the call waited for it. Red: it worked longest while the call waited.
      </p>
      <Level nodes={nodes} parent={null} />
    </>
  );
}

function Level({ nodes, parent }: { nodes: Node[]; parent: string | null }) {
  const here = nodes.filter((node) => node.parent === parent);
  if (here.length === 0) return null;
  return (
    <ul class="pipeline-graph" aria-label={parent === null ? "Iterators of the call" : undefined}>
      {here.map((node) => (
        <li key={node.id} class={node.critical ? "critical" : undefined}>
          <Box node={node} />
          <Level nodes={nodes} parent={node.id} />
        </li>
      ))}
    </ul>
  );
}

function Box({ node }: { node: Node }) {
  const mark = node.bottleneck ? "Bottleneck" : node.critical ? "Waited for" : "In time";
  return (
    <div
      class={`pipeline-node${node.bottleneck ? " bottleneck" : node.critical ? " critical" : ""}`}
      tabIndex={0}
      data-tip={node.tip}
    >
      <strong>
        <MiddleText text={node.name} />
      </strong>
      <span class="muted">{node.asynchronous ? `${mark}, works ahead` : mark}</span>
      <dl class="number">
        {node.facts.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function readNodes(table: Table): Node[] {
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  const cell = (name: string, row: number): Value => columns.get(name)?.values[row] ?? null;
  const facts = FACTS.flatMap((name) => columns.get(name) ?? []);
  return Array.from({ length: table.rows }, (_, row) => ({
    id: String(cell("id", row)),
    parent: cell("parent", row) === null ? null : String(cell("parent", row)),
    name: String(cell("iterator", row)),
    tip: [cell("long_name", row), cell("dataset", row)].filter(Boolean).join("\n"),
    facts: facts.map(({ label, unit, values }) => ({ label, text: format(values[row] ?? null, unit) })),
    asynchronous: cell("asynchronous", row) === true,
    critical: cell("critical", row) === true,
    bottleneck: cell("bottleneck", row) === true,
  }));
}
