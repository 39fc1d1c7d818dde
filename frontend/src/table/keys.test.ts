import { expect, it } from "vitest";
import { moveBy, within } from "./keys";

const EXTENT = { rows: 100, columns: 4, page: 10 };

it.each([
  ["ArrowDown", false, { row: 3, column: 1 }, { row: 4, column: 1 }],
  ["ArrowUp", false, { row: 0, column: 1 }, { row: -1, column: 1 }],
  ["ArrowUp", false, { row: -1, column: 1 }, { row: -1, column: 1 }],
  ["ArrowRight", false, { row: 3, column: 3 }, { row: 3, column: 3 }],
  ["PageDown", false, { row: 95, column: 0 }, { row: 99, column: 0 }],
  ["PageUp", false, { row: 3, column: 0 }, { row: 0, column: 0 }],
  ["Home", false, { row: 3, column: 2 }, { row: 3, column: 0 }],
  ["End", true, { row: 3, column: 2 }, { row: 99, column: 3 }],
  ["x", false, { row: 3, column: 2 }, null],
])("%s (Ctrl: %s) moves from %j to %j", (key, ctrl, from, to) => {
  expect(moveBy(key, ctrl, from, EXTENT)).toEqual(to);
});

it("an active cell that a filter took away becomes the nearest that is left", () => {
  expect(within({ row: 50, column: 2 }, { rows: 0, columns: 4, page: 10 })).toEqual({ row: -1, column: 2 });
});
