/** Which rows a table shows, and in which order. */
import type { Table } from "../result";
import { parseFilter, parseSearch, type Test } from "./filter";
import type { ShownColumn } from "./layout";
import { sortRows, type SortKey } from "./order";

interface Shape {
  /** The first one first. */
  keys: SortKey[];
  search: string;
  /** Texts of the filters by column. */
  filters: Record<string, string>;
}

/** Indices of the rows to show, in order. */
export function shownRows(
  table: Table,
  layout: ShownColumn[],
  { keys, search, filters }: Shape,
): Uint32Array {
  const tests: Test[] = [];
  const searched = parseSearch(search, table.columns);
  if (searched) tests.push(searched);
  for (const { column, scale } of layout) {
    const test = parseFilter(filters[column.name] ?? "", column, scale);
    if (test) tests.push(test);
  }
  const kept = new Uint32Array(table.rows);
  let size = 0;
  for (let row = 0; row < table.rows; row++) if (tests.every((test) => test(row))) kept[size++] = row;
  return sortRows(kept.slice(0, size), table.columns, keys);
}

/** The table with some of its rows, in the order given. */
export function takeRows(table: Table, rows: ArrayLike<number>): Table {
  const take = Array.from(rows);
  return {
    ...table,
    rows: take.length,
    columns: table.columns.map((each) => ({ ...each, values: take.map((row) => each.values[row] ?? null) })),
  };
}
