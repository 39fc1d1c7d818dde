/** Where everything goes: layers from top to bottom, in the direction in which values flow. */
import { graphlib, layout } from "@dagrejs/dagre";

export interface Point {
  x: number;
  y: number;
}

/** A rectangle by its centre. */
export interface Box extends Point {
  width: number;
  height: number;
}

export interface ToArrange {
  /** `inside` names the open node around a node; an open node is as large as what is in it. */
  nodes: { name: string; inside: string | null; open: boolean }[];
  edges: { source: string; target: string }[];
  width: number;
  height: number;
}

export interface Arranged {
  width: number;
  height: number;
  boxes: Record<string, Box>;
  /** One per edge; empty for an edge that ends at no box. */
  lines: Point[][];
}

const BETWEEN_NODES = 24;
const BETWEEN_LAYERS = 44;
const MARGIN = 16;

export function arrange({ nodes, edges, width, height }: ToArrange): Arranged {
  const graph = new graphlib.Graph({ compound: true, multigraph: true });
  graph.setGraph({ nodesep: BETWEEN_NODES, ranksep: BETWEEN_LAYERS, marginx: MARGIN, marginy: MARGIN });
  for (const node of nodes) graph.setNode(node.name, node.open ? {} : { width, height });
  for (const node of nodes) if (node.inside !== null) graph.setParent(node.name, node.inside);
  const boxed = new Set(nodes.filter(({ open }) => !open).map(({ name }) => name));
  edges.forEach(({ source, target }, number) => {
    if (boxed.has(source) && boxed.has(target)) graph.setEdge(source, target, {}, String(number));
  });
  layout(graph);
  const whole = graph.graph() as { width: number; height: number };
  const lines: Point[][] = edges.map(() => []);
  for (const edge of graph.edges()) {
    const { points } = graph.edge(edge) as { points: Point[] };
    lines[Number(edge.name)] = points.map(({ x, y }) => ({ x, y }));
  }
  const boxes = nodes.map(({ name }): [string, Box] => {
    const { x, y, width, height } = graph.node(name) as Box;
    return [name, { x, y, width, height }];
  });
  return { width: whole.width, height: whole.height, boxes: Object.fromEntries(boxes), lines };
}
