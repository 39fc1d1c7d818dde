/** Order of rows: columns become arrays of ranks once, after which sorting compares numbers only. */
import type { Column } from "../result";

export interface SortKey {
  column: string;
  descending: boolean;
}

const known = new WeakMap<Column, Float64Array>();

/** One number per row that orders like the column's values; NaN for unknown. */
export function ranksOf(column: Column): Float64Array {
  let ranks = known.get(column);
  if (!ranks) {
    ranks = column.type === "string" ? ranksOfTexts(column.values.map(textOrNull)) : ranksOfNumbers(column);
    known.set(column, ranks);
  }
  return ranks;
}

function ranksOfNumbers(column: Column): Float64Array {
  return Float64Array.from(column.values, (value) => (value === null ? NaN : Number(value)));
}

function ranksOfTexts(texts: (string | null)[]): Float64Array {
  const keys = new Map<string, string>();
  for (const text of texts) if (text !== null && !keys.has(text)) keys.set(text, naturalKey(text));
  const order = [...new Set(keys.values())].sort();
  const rank = new Map(order.map((key, index) => [key, index]));
  return Float64Array.from(texts, (text) =>
    text === null ? NaN : (rank.get(keys.get(text) as string) as number),
  );
}

/** A key that compares like the text to a person's eye: op_2 before op_10, whatever the case. Faster than a collator. */
function naturalKey(text: string): string {
  return text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value);
}

/** `rows` sorted in place by `keys`, the first one first; unknown values last either way; ties keep the table's order. */
export function sortRows(rows: Uint32Array, columns: Column[], keys: SortKey[]): Uint32Array {
  const orders = keys.flatMap(({ column: name, descending }) => {
    const column = columns.find((candidate) => candidate.name === name);
    return column ? [{ ranks: ranksOf(column), sign: descending ? -1 : 1 }] : [];
  });
  if (orders.length === 0) return rows;
  return rows.sort((a, b) => {
    for (const { ranks, sign } of orders) {
      const left = ranks[a] as number;
      const right = ranks[b] as number;
      if (left < right) return -sign;
      if (left > right) return sign;
      if (left !== right) {
        const unknown = Number(Number.isNaN(left)) - Number(Number.isNaN(right));
        if (unknown !== 0) return unknown;
      }
    }
    return a - b;
  });
}

/** The keys after a click on a header: descending first for numbers, then the other way, then unsorted. */
export function clickSort(keys: SortKey[], column: Column, add: boolean): SortKey[] {
  const first = column.type !== "string";
  const old = keys.find((key) => key.column === column.name);
  const others = add ? keys.filter((key) => key.column !== column.name) : [];
  if (!old) return [...others, { column: column.name, descending: first }];
  if (old.descending !== first) return others;
  const turned = { column: column.name, descending: !first };
  return add ? keys.map((key) => (key === old ? turned : key)) : [turned];
}
