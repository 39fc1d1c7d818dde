import { describe, expect, it } from "vitest";
import { numbers, tableOf, texts } from "../testing/tables";
import { firstOpen, foundRows, treeOf, visibleRows } from "./tree";

const TABLE = tableOf(
  texts("name", ["all", "program", "conv", "conv.1", "conv.2", "add"]),
  numbers("parent", [-1, 0, 1, 2, 2, 1]),
  numbers("time", [100, 100, 80, 60, 20, 20]),
  numbers("wasted", [10, 10, 2, null, 1, 8]),
);
const TREE = treeOf(TABLE);
const shown = (look: Partial<Parameters<typeof visibleRows>[2]>): string[] =>
  visibleRows(TABLE, TREE, { open: new Set(), keys: [], found: null, ...look }).map(
    (row) => `${"-".repeat(TREE.depths[row] ?? 0)}${String(TABLE.columns[0]?.values[row])}`,
  );

describe("rows of a tree", () => {
  it("are shown below the ones that are open", () => {
    expect(shown({})).toEqual(["all"]);
    expect(shown({ open: new Set([0, 1]) })).toEqual(["all", "-program", "--conv", "--add"]);
    expect(shown({ open: new Set([1]) })).toEqual(["all"]);
  });

  it("are sorted among their siblings only, unknown ones last", () => {
    const keys = [{ column: "wasted", descending: true }];
    expect(shown({ open: new Set([0, 1, 2]), keys })).toEqual([
      "all",
      "-program",
      "--add",
      "--conv",
      "---conv.2",
      "---conv.1",
    ]);
  });

  it("are found with what leads there", () => {
    expect(shown({ found: foundRows(TABLE, "CONV.2") })).toEqual(["all", "-program", "--conv", "---conv.2"]);
    expect(shown({ found: foundRows(TABLE, "nothing") })).toEqual([]);
    expect(foundRows(TABLE, " ")).toBeNull();
  });

  it("are open at first along the path that took longest", () => {
    expect([...firstOpen(TABLE, TREE)]).toEqual([0, 1, 2]);
  });
});
