import { describe, expect, it } from "vitest";
import { tileOf } from "./samples";
import { shadingOf, stepAt, type ColourBy, type Known } from "./shade";

const US = 1e6;
const TILE = tileOf(
  [
    [
      { start: 0, end: 4 * US, name: 0 },
      { start: 20 * US, end: 40 * US, name: 1 },
      { start: 60 * US, end: 60.5 * US, name: 2 },
    ],
  ],
  0,
  2 * US,
  64,
);
const KNOWN: Known = {
  names: ["dot", "copy", "poll"],
  facts: {
    kinds: ["MatMul", "Copy"],
    kindOfName: [0, 1, -1],
    steps: { start: Float64Array.of(0, 30 * US), end: Float64Array.of(10 * US, 70 * US) },
  },
  sought: null,
  theme: "light",
};

/** Colours of the two events and of the block. */
function pixels(by: ColourBy, known = KNOWN): number[] {
  const { palette, shade } = shadingOf(by, known);
  const { events, blocks } = shade(TILE);
  return [...events, ...blocks].map((place) => palette[place] as number);
}

const labels = (by: ColourBy): string[] => {
  const { legend } = shadingOf(by, KNOWN);
  return pixels(by).map((pixel) => legend.find((entry) => entry.pixel === pixel)?.label ?? "");
};

describe("the colour of an event", () => {
  it("tells its kind of op", () => expect(labels("category")).toEqual(["MatMul", "Copy", "no op"]));

  it("tells how long it takes, of short ones the mean", () =>
    expect(labels("duration")).toEqual(["10 µs", "100 µs", "under 1 µs"]));

  it("tells its step", () => {
    const [first, outside, second] = pixels("step");
    expect(labels("step")).toEqual(["", "outside of steps", ""]);
    expect(new Set([first, outside, second]).size).toBe(3);
  });

  it("stays, only fainter, when its name is not sought", () => {
    for (const by of ["name", "step", "category", "duration"] as const) {
      const found = pixels(by, { ...KNOWN, sought: new Set([1]) });
      expect(found.map((pixel) => pixel >>> 24)).toEqual([0x30, 0xff, 0x30]);
      expect(found.map((pixel) => pixel & 0xffffff)).toEqual(pixels(by).map((pixel) => pixel & 0xffffff));
    }
  });
});

it("a step begins at its start and ends before its end", () => {
  const { steps } = KNOWN.facts;
  expect([-1, 0, 10 * US - 1, 10 * US, 30 * US, 70 * US].map((time) => stepAt(steps, time))).toEqual([
    -1, 0, 0, -1, 1, -1,
  ]);
});
