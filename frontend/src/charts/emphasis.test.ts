import { expect, it } from "vitest";
import type { Chart, ChartKind } from "../result";
import { numbers, tableOf, texts } from "../testing/tables";
import { emphasisOf, type Emphasis } from "./emphasis";
import { hoverLines, optionOf } from "./options";
import type { ChartTheme } from "./palette";
import { plotOf, type Extras, type Plot } from "./plot";

const THEME: ChartTheme = { text: "black", muted: "", line: "", surface: "", font: "", colour: String };
const MIB = 2 ** 20;
const BUFFERS = tableOf(
  texts("name", ["a", "b"]),
  numbers("first", [0, 2]),
  numbers("last", [4, 3]),
  numbers("place", [0, 2 * MIB], "bytes"),
  numbers("size", [2 * MIB, MIB], "bytes"),
  numbers("kept", [null, MIB], "bytes"),
);

function plot(kind: ChartKind, y: string[], extras: Extras = {}): Plot {
  const chart: Chart = {
    ...{ name: "c", kind, table: "t", x: "first", y, label: "Memory", description: "" },
    ...{ stack: false, log: false, names: "name" },
  };
  const made = plotOf(chart, BUFFERS, undefined, extras);
  if (!made) throw new Error("no plot");
  return made;
}

function drawn(of: Plot, emphasis: Emphasis): Record<string, unknown> | undefined {
  return (emphasisOf(of, emphasis, THEME)["series"] as Record<string, unknown>[])[0];
}

it("a lifetime is shaded from its first row to its last, darker up to the size", () => {
  const span = { first: 1, last: 3, height: 2 * MIB };
  const areas = (drawn(plot("line", ["size"]), { span })?.["markArea"] as { data: unknown }).data;
  expect(areas).toMatchObject([
    [{ xAxis: 1 }, { xAxis: 3 }],
    [
      { xAxis: 1, yAxis: 0 },
      { xAxis: 3, yAxis: 2 },
    ],
  ]);
});

it("a row of a scatter chart gets a ring, and none where there is nothing to show", () => {
  const scatter = plot("scatter", ["size"]);
  expect(drawn(scatter, { row: 1 })?.["data"]).toEqual([[2, 1]]);
  expect(drawn(scatter, { row: null })?.["data"]).toEqual([]);
});

it("blocks reach from x to their end, and from y as high as they are", () => {
  const blocks = plot("block", ["place"], { block: { end: "last", height: "size" } });
  expect(optionOf(blocks, THEME, { hidden: new Set() })).toMatchObject({
    series: [
      {
        type: "custom",
        data: [
          [0, 4, 0, 2],
          [2, 3, 2, 3],
        ],
      },
    ],
  });
});

it("of series that exclude each other the hover card tells the one that has a value", () => {
  const kinds = plot("bar", ["kept", "size"], { exclusive: true });
  expect(hoverLines(kinds, new Set(), 0).lines.map(({ label }) => label)).toEqual(["first", "size"]);
});
