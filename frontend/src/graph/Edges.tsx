/** The values as lines from who makes them to who takes them. */
import type { Point } from "./arrange";
import type { GraphEdge } from "./model";

interface Props {
  edges: GraphEdge[];
  lines: Point[][];
  /** Name of the instruction whose edges stand out. */
  selected: string | null;
}

export function Edges({ edges, lines, selected }: Props) {
  return (
    <g>
      {edges.map((edge, number) => {
        const line = lines[number];
        if (!line || line.length === 0) return null;
        const side = edge.target === selected ? "operand" : edge.source === selected ? "user" : "";
        return (
          <g
            key={number}
            class={`graph-edge ${side}`}
            data-tip={`${edge.source} → ${edge.target}\n${edge.shape}`}
          >
            <path class="graph-reach" d={pathOf(line)} />
            <path d={pathOf(line)} />
            <path class="graph-head" d={headOf(line)} />
          </g>
        );
      })}
    </g>
  );
}

/** A curve whose bends are the given points. */
function pathOf(points: Point[]): string {
  const [first, ...rest] = points as [Point, ...Point[]];
  const last = rest.at(-1) ?? first;
  const bends = rest.slice(0, -1).map((point, number) => {
    const next = rest[number + 1] as Point;
    return `Q${place(point)} ${place({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  return `M${place(first)}${bends.join("")}L${place(last)}`;
}

const HEAD = 7;

/** The triangle at the end. */
function headOf(points: Point[]): string {
  const [before, end] = points.slice(-2) as [Point, Point | undefined];
  if (!end) return "";
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [along, across] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const corner = (side: number): string =>
    place({ x: end.x - HEAD * along - side * across, y: end.y - HEAD * across + side * along });
  return `M${place(end)}L${corner(3.5)}L${corner(-3.5)}Z`;
}

function place({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
