import { expect, it } from "vitest";
import { visibleRows } from "./window";

it("covers what is visible with some rows to spare, within the table", () => {
  expect(visibleRows(0, 560, 28, 100_000)).toEqual({ first: 0, end: 36 });
  expect(visibleRows(28_000, 560, 28, 100_000)).toEqual({ first: 984, end: 1032 });
  expect(visibleRows(0, 560, 28, 3)).toEqual({ first: 0, end: 3 });
});

it("stays the same while scrolling a little", () => {
  expect(visibleRows(28_200, 560, 28, 100_000)).toEqual(visibleRows(28_100, 560, 28, 100_000));
});
