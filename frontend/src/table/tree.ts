/** A table whose rows form a tree: which rows are shown, in which order. `parent` holds rows, a parent before its children. */
import { column, type Table } from "../result";
import { sortRows, type SortKey } from "./order";

export interface Tree {
  roots: number[];
  children: number[][];
  parents: number[];
  depths: number[];
}

export function treeOf(table: Table): Tree {
  const parents = (column(table, "parent")?.values ?? []).map((value) =>
    typeof value === "number" ? value : -1,
  );
  const children: number[][] = parents.map(() => []);
  const roots: number[] = [];
  const depths: number[] = [];
  parents.forEach((parent, row) => {
    (children[parent] ?? roots).push(row);
    depths.push((depths[parent] ?? -1) + 1);
  });
  return { roots, children, parents, depths };
}

export interface Look {
  open: ReadonlySet<number>;
  keys: SortKey[];
  /** Rows to show with their ancestors, whatever is open; null for all. */
  found: ReadonlySet<number> | null;
}

/** Rows from top to bottom: those below open ones, or what was found and what leads there. */
export function visibleRows(table: Table, tree: Tree, { open, keys, found }: Look): number[] {
  const leading = found && ancestorsOf(tree, found);
  const rows: number[] = [];
  const add = (siblings: number[]): void => {
    for (const row of sortRows(Uint32Array.from(siblings), table.columns, keys)) {
      if (leading && !leading.has(row) && !found.has(row)) continue;
      rows.push(row);
      if (leading ? leading.has(row) : open.has(row)) add(tree.children[row] ?? []);
    }
  };
  add(tree.roots);
  return rows;
}

/** Columns that a search looks into, where the table has them. */
const SEARCHED = ["name", "framework_op", "source"];

/** Rows whose name, framework op or source holds `text`, whatever the case. */
export function foundRows(table: Table, text: string): ReadonlySet<number> | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const texts = SEARCHED.flatMap((name) => column(table, name) ?? []);
  const holds = (row: number): boolean =>
    texts.some(({ values }) =>
      String(values[row] ?? "")
        .toLowerCase()
        .includes(wanted),
    );
  return new Set(Array.from({ length: table.rows }, (_, row) => row).filter(holds));
}

/** What is open at first: the root, and below it one longest path, as far as rows have a time. */
export function firstOpen(table: Table, tree: Tree): ReadonlySet<number> {
  const times = column(table, "time")?.values;
  const open = new Set<number>();
  let row = tree.roots[0];
  for (let child; row !== undefined; row = child) {
    child = tree.children[row]?.[0];
    if (child === undefined || times?.[child] === null) break;
    open.add(row);
  }
  return open;
}

function ancestorsOf(tree: Tree, rows: ReadonlySet<number>): ReadonlySet<number> {
  const above = new Set<number>();
  for (const row of rows) {
    let parent = tree.parents[row] ?? -1;
    while (parent >= 0 && !above.has(parent)) {
      above.add(parent);
      parent = tree.parents[parent] ?? -1;
    }
  }
  return above;
}
