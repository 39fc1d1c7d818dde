import { describe, expect, it } from "vitest";
import { numbers, tableOf, texts } from "../testing/tables";
import { barOf, blankColumns, cellText, cellTip, layoutOf, totalsOf, withFirst } from "./layout";

const TABLE = tableOf(
  texts("name", ["conv", null]),
  numbers("time", [1_234_567_890, 61_000_000], "ps"),
  numbers("share", [0.955, null], "share"),
  numbers("calls", [12345, 0]),
);
const LAYOUT = layoutOf(TABLE, ["time"]);

describe("cells", () => {
  it("share the unit of their column, and show unknown as a dash", () => {
    expect(LAYOUT.map((shown) => [shown.scale.label, cellText(shown, 0), cellText(shown, 1)])).toEqual([
      ["", "conv", "–"],
      ["ms", "1.23", "0.061"],
      ["%", "95.5", "–"],
      ["", "12,345", "0"],
    ]);
  });

  it("say the exact value, or why there is none", () => {
    expect(LAYOUT.map((shown) => cellTip(shown, 0))).toEqual([
      "conv",
      "1,234,567,890 ps",
      "95.5 %",
      "12,345",
    ]);
    expect(LAYOUT.map((shown) => cellTip(shown, 1))[2]).toMatch(/^Not known/);
  });

  it("carry bars where they are shares or asked to", () => {
    expect(LAYOUT.map((shown) => barOf(shown, 0))).toEqual([null, 1, 0.955, null]);
    expect(LAYOUT.map((shown) => barOf(shown, 1))[2]).toBeNull();
  });
});

it("totals add up the rows shown, for the columns that ask for it", () => {
  expect(totalsOf(LAYOUT, Uint32Array.of(0, 1), ["time", "calls"])).toEqual(
    new Map([
      ["time", 1_295_567_890],
      ["calls", 12345],
    ]),
  );
  expect(totalsOf(LAYOUT, Uint32Array.of(1), ["calls"])).toEqual(new Map([["calls", 0]]));
});

it("some columns can stand before the others, which keep their order", () => {
  const names = withFirst(TABLE, ["calls", "share", "nothing"]).columns.map((column) => column.name);
  expect(names).toEqual(["calls", "share", "name", "time"]);
});

it("columns in which no row knows anything are found, but not in a table without rows", () => {
  expect(blankColumns(tableOf(texts("a", ["", null]), numbers("b", [null, 0])))).toEqual(["a"]);
  expect(blankColumns(tableOf(texts("a", [])))).toEqual([]);
});
