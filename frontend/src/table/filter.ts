/**
 * Filters of rows.
 *
 *     text      conv bias     holds both words        !conv  does not hold it       /conv\d+$/  regular expression
 *     numbers   > 1 ms   <= 5   1..5 ms   = 0         a plain number means "at least"; without a unit, the column's
 */
import type { Column } from "../result";
import { parseQuantity, type Scale } from "../units";

export type Test = (row: number) => boolean;

export const TEXT_HELP = "Words to look for\n!word leaves rows out\n/pattern/ is a regular expression";
export const NUMBER_HELP =
  "> 1 ms, <= 5, 1..5 ms, = 0\nA plain number means at least.\nWithout a unit, the column's own.";

/** The test that `text` asks of a column; null where the text asks nothing, or is not finished. */
export function parseFilter(text: string, column: Column, scale: Scale): Test | null {
  if (text.trim() === "") return null;
  if (column.type === "number") return numberTest(text, column, scale);
  const match = textTest(text);
  return match && ((row) => match(String(column.values[row] ?? "")));
}

/** The test of the search over all columns: some text of the row matches. */
export function parseSearch(text: string, columns: Column[]): Test | null {
  const match = text.trim() === "" ? null : textTest(text);
  if (!match) return null;
  const texts = columns.filter((column) => column.type === "string");
  return (row) => match(texts.map((column) => String(column.values[row] ?? "")).join("\n"));
}

function textTest(text: string): ((value: string) => boolean) | null {
  const trimmed = text.trim();
  const pattern = /^\/(.*)\/$/.exec(trimmed);
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1] as string, "i");
      return (value) => expression.test(value);
    } catch {
      return null;
    }
  }
  const words = trimmed.toLowerCase().split(/\s+/);
  const tests = words.map((word) =>
    word.startsWith("!") ? { word: word.slice(1), wanted: false } : { word, wanted: true },
  );
  const finished = tests.filter(({ word }) => word !== "");
  return (value) => {
    const lower = value.toLowerCase();
    return finished.every(({ word, wanted }) => lower.includes(word) === wanted);
  };
}

function numberTest(text: string, column: Column, scale: Scale): Test | null {
  const read = (part: string): number | null => parseQuantity(part, column.unit, scale);
  const values = column.values as (number | null)[];
  const keep = (test: (value: number) => boolean): Test => {
    return (row) => {
      const value = values[row];
      return typeof value === "number" && test(value);
    };
  };
  const [from, to] = text.split("..");
  if (from !== undefined && to !== undefined) {
    const label = to.replace(/^[\s\d.,+-]*/, "");
    const low = read(/[^\s\d.,+-]/.test(from) ? from : `${from} ${label}`);
    const high = read(to);
    return low === null || high === null ? null : keep((value) => value >= low && value <= high);
  }
  const match = /^\s*(>=|<=|>|<|=|≥|≤)?\s*(.+)$/.exec(text);
  const bound = match && read(match[2] as string);
  if (!match || bound === null) return null;
  switch (match[1]) {
    case ">":
      return keep((value) => value > bound);
    case "<":
      return keep((value) => value < bound);
    case "<=":
    case "≤":
      return keep((value) => value <= bound);
    case "=":
      return keep((value) => value === bound);
    default:
      return keep((value) => value >= bound);
  }
}
