import { expect, it } from "vitest";
import type { Series } from "./counters";
import { rangeOf } from "./graphs";

const series = (low: number | null, high: number | null): Series => ({
  track: 1,
  name: "power",
  low,
  high,
  columns: [],
  lowest: [],
  highest: [],
  last: [],
});

it("a graph reaches from its lowest to its highest number, and to zero", () => {
  expect(rangeOf([series(20, 90), series(-3, 5)])).toEqual([-3, 90]);
  expect(rangeOf([series(20, 90)])).toEqual([0, 90]);
});

it("a counter that never was a number has no range", () => {
  expect(rangeOf([series(null, null)])).toBeNull();
  expect(rangeOf([])).toBeNull();
});
