import { describe, expect, it } from "vitest";
import { hitAt } from "./hit";
import type { Slice } from "./raster";
import { tileOf } from "./samples";

const tile = tileOf(
  [
    [
      { start: 100, end: 200, name: 1 },
      { start: 301, end: 304, name: 2 },
      { start: 305, end: 307, name: 3 },
      { start: 400, end: 500, name: 4 },
    ],
  ],
  0,
  10,
  100,
);
const slices: Slice[] = [{ tile, strip: tile.tracks.get(0)?.[0] as Slice["strip"], from: 0, to: 1000 }];

describe("a point of a lane", () => {
  it("hits the event around it", () => {
    expect(hitAt(slices, 150, 0)).toEqual({ id: 0, name: 1, start: 100, end: 200, block: null });
    expect(hitAt(slices, 201, 0)).toBeNull();
  });

  it("hits the block of short events, named by the one that covers most", () => {
    const hit = hitAt(slices, 303, 0);
    expect(hit).toMatchObject({ id: 1, name: 2, start: 300, end: 310 });
    expect(hit?.block?.count).toBe(2);
    expect(hit?.block?.busy).toBeCloseTo(0.5, 3);
  });

  it("reaches what is a few pixels away, the nearest first", () => {
    expect(hitAt(slices, 315, 10)).toMatchObject({ id: 1 });
    expect(hitAt(slices, 396, 10)).toMatchObject({ id: 3, block: null });
    expect(hitAt(slices, 350, 10)).toBeNull();
  });
});
