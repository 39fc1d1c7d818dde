import { describe, expect, test } from "vitest";
import { formatSteps, parseSteps, withoutEnds } from "./step_range";

describe("the steps that count", () => {
  test.each([
    ["3-17", [3, 17]],
    ["3-", [3, 20]],
    ["-17", [1, 17]],
    ["3", [3, 3]],
    ["", [1, 20]],
    ["18-21", [1, 20]],
    ["9-3", [1, 20]],
    ["x", [1, 20]],
  ])("%o of 20", (text, range) => expect(parseSteps(text, 20)).toEqual(range));

  test.each([
    [[3, 17], "3-17"],
    [[3, 3], "3"],
    [[1, 20], ""],
    [[1, 19], "1-19"],
  ] as const)("%o is written %o", (range, text) => expect(formatSteps(range, 20)).toBe(text));

  test("leaving out the ends leaves a step", () =>
    expect([4, 3, 2, 1].map(withoutEnds)).toEqual([
      [2, 3],
      [2, 2],
      [1, 2],
      [1, 1],
    ]));
});
