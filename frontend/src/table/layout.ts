/** How columns are shown: their unit, their width, and whether they carry a bar or a total. */
import type { Column, Table, Value } from "../result";
import { exact, format, formatIn, scaleOfColumn, type Scale } from "../units";

export interface ShownColumn {
  column: Column;
  scale: Scale;
  /** Natural width in characters. */
  chars: number;
  /** Width that texts may be cut to, and numbers that their headings break up. */
  leastChars: number;
  /** Greatest value, of which bars show shares; null for a column without bars. */
  full: number | null;
}

const SAMPLE = 200;
const MIN_CHARS = 4;
const HEADING_CHARS = 14;
/** Room of the arrow of a sorted column. */
const SORT_CHARS = 2;
/** Names may take more room than other texts. */
const MAX_CHARS = 22;
const MAX_NAME_CHARS = 34;
const LEAST_CHARS = 12;
const LEAST_NAME_CHARS = 22;

/** `bars` lists columns besides shares whose cells carry a bar, `names` those that hold names of ops. */
export function layoutOf(
  table: Table,
  bars: readonly string[] = [],
  names: readonly string[] = [],
): ShownColumn[] {
  return table.columns.map((column) => {
    const scale = scaleOfColumn(column.values, column.unit);
    const full = column.unit === "share" ? 1 : bars.includes(column.name) ? greatest(column.values) : null;
    const shown: ShownColumn = { column, scale, chars: 0, leastChars: 0, full };
    const isName = names.includes(column.name);
    const least = leastOf(shown);
    const chars = Math.min(Math.max(least, headingOf(shown)), isName ? MAX_NAME_CHARS : MAX_CHARS);
    const cut = isName ? LEAST_NAME_CHARS : column.type === "string" ? LEAST_CHARS : least;
    return { ...shown, chars, leastChars: Math.min(chars, least, cut) };
  });
}

/** The text of a cell, in the column's unit; a dash for unknown. */
export function cellText({ column, scale }: ShownColumn, row: number): string {
  const value = column.values[row] ?? null;
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return value;
  return scale.label ? formatIn(value, scale) : format(value, column.unit);
}

/** What hovering a cell says: the exact value, or why there is none. */
export function cellTip({ column }: ShownColumn, row: number): string {
  const value = column.values[row] ?? null;
  if (value === null) return `Not known: this profile does not record ${column.label.toLowerCase()} here.`;
  return exact(value, column.unit);
}

/** Share of the cell that its bar fills, 0 to 1; null for no bar. */
export function barOf({ column, full }: ShownColumn, row: number): number | null {
  const value = column.values[row];
  if (!full || typeof value !== "number") return null;
  return Math.max(0, Math.min(1, value / full));
}

/** Sums of columns over `rows`, for those that can be summed. */
export function totalsOf(
  columns: ShownColumn[],
  rows: Uint32Array,
  names: readonly string[],
): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { column } of columns) {
    if (!names.includes(column.name)) continue;
    let sum = 0;
    for (const row of rows) {
      const value = column.values[row];
      if (typeof value === "number") sum += value;
    }
    totals.set(column.name, sum);
  }
  return totals;
}

/** Room for a heading in no more than two lines. */
function headingOf({ column, scale }: ShownColumn): number {
  return Math.min(column.label.length + scale.label.length + SORT_CHARS, HEADING_CHARS);
}

function leastOf(shown: ShownColumn): number {
  const { column, scale } = shown;
  const heading = Math.max(...column.label.split(" ").map((word) => word.length)) + SORT_CHARS;
  const step = Math.max(1, Math.floor(column.values.length / SAMPLE));
  let widest = Math.max(MIN_CHARS, heading, scale.label.length + 1);
  for (let row = 0; row < column.values.length; row += step)
    widest = Math.max(widest, cellText(shown, row).length);
  return widest;
}

/** The table with some columns before the others. */
export function withFirst(table: Table, names: readonly string[]): Table {
  const place = ({ name }: Column): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return { ...table, columns: table.columns.toSorted((a, b) => place(a) - place(b)) };
}

/** Columns in which no row knows anything. */
export function blankColumns(table: Table): string[] {
  const blank = (value: Value): boolean => value === null || value === "";
  return table.rows === 0
    ? []
    : table.columns.filter(({ values }) => values.every(blank)).map(({ name }) => name);
}

function greatest(values: readonly Value[]): number {
  let most = 0;
  for (const value of values) if (typeof value === "number" && value > most) most = value;
  return most;
}
