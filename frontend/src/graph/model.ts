/** The graph as the server tells it: instructions, and the values that go from one to another. */
import { column, type Table, type Value } from "../result";

export interface GraphNode {
  name: string;
  opcode: string;
  category: string;
  shape: string;
  /** Framework op that it was compiled from. */
  op: string;
  /** The fusion that is drawn open around it. */
  inside: string | null;
  /** Drawn as what it fuses. */
  open: boolean;
  distance: number;
  /** Picoseconds in all runs; null where no run was recorded. */
  time: number | null;
  /** Neighbours that are not drawn. */
  moreOperands: number;
  moreUsers: number;
}

export interface GraphEdge {
  source: string;
  target: string;
  shape: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export function graphOf(nodes: Table, edges: Table): Graph {
  return {
    nodes: rowsOf(nodes, (cell) => ({
      name: text(cell("name")),
      opcode: text(cell("opcode")),
      category: text(cell("category")),
      shape: text(cell("shape")),
      op: text(cell("op")),
      inside: cell("inside") === null ? null : text(cell("inside")),
      open: cell("open") === true,
      distance: Number(cell("distance")),
      time: cell("self_time") === null ? null : Number(cell("self_time")),
      moreOperands: Number(cell("more_operands")),
      moreUsers: Number(cell("more_users")),
    })),
    edges: rowsOf(edges, (cell) => ({
      source: text(cell("source")),
      target: text(cell("target")),
      shape: text(cell("shape")),
    })),
  };
}

function rowsOf<T>(table: Table, read: (cell: (name: string) => Value) => T): T[] {
  return Array.from({ length: table.rows }, (_, row) =>
    read((name) => column(table, name)?.values[row] ?? null),
  );
}

function text(value: Value): string {
  return value === null ? "" : String(value);
}
