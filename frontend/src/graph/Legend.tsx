/** The kinds of instructions that a drawing holds, by their colours. */
import { colourOfKind, kindOf } from "./colour";
import type { GraphNode } from "./model";

export function Legend({ nodes }: { nodes: GraphNode[] }) {
  const kinds = [...new Set(nodes.map(({ category }) => kindOf(category)))];
  return (
    <ul class="graph-legend" aria-label="Colours">
      {kinds.map((kind) => (
        <li key={kind.label}>
          <span style={{ background: colourOfKind(kind) }} />
          {kind.label}
        </li>
      ))}
    </ul>
  );
}
