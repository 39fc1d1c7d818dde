import { describe, expect, it } from "vitest";
import {
  clamped,
  endOf,
  levelOf,
  panned,
  showing,
  TILE_COLUMNS,
  tilesOf,
  timeAt,
  xOf,
  zoomed,
} from "./viewport";

const END = 1_000_000;
const whole = showing(0, END, 1000);

describe("the view", () => {
  it("maps pixels to times and back", () => {
    expect(timeAt(whole, 250)).toBe(250_000);
    expect(xOf(whole, 250_000)).toBe(250);
    expect(endOf(whole)).toBe(END);
  });

  it("keeps the time under the cursor while zooming", () => {
    const closer = zoomed(whole, 300, 8, END);
    expect(timeAt(closer, 300)).toBeCloseTo(300_000, 6);
    expect(closer.scale).toBeCloseTo(whole.scale / 8, 9);
  });

  it("stops zooming out at the whole profile and in at a hundred picoseconds", () => {
    expect(zoomed(whole, 500, 0.001, END).scale * 1000).toBeLessThanOrEqual(END * 1.03);
    expect(zoomed(whole, 500, 1e12, END).scale * 1000).toBeCloseTo(100, 6);
  });

  it("ends the way out at the whole profile, wherever the pointer is", () => {
    for (const x of [0, 200, 1000]) {
      let view = showing(0.9 * END, 0.91 * END, 1000);
      for (let i = 0; i < 20; i++) view = zoomed(view, x, 0.7, END);
      expect(view.start).toBeCloseTo(-0.01 * END, 6);
      expect(endOf(view)).toBeCloseTo(1.01 * END, 6);
    }
  });

  it("stops panning half a screen past the data", () => {
    const half = showing(0, END / 2, 1000);
    expect(panned(half, -1e9, END).start).toBe(-END / 4);
    expect(panned(half, 1e9, END).start).toBe(END - END / 4);
  });

  it("shows a profile without duration", () => {
    expect(clamped(showing(0, 0, 1000), 0).scale).toBeGreaterThan(0);
  });
});

describe("tiles", () => {
  it("have columns between half a device pixel and one", () => {
    for (const scale of [1, 1.5, 3, 1000, 123_456]) {
      for (const ratio of [1, 1.5, 2]) {
        const column = 2 ** levelOf({ start: 0, scale, width: 1 }, ratio);
        expect(column).toBeLessThanOrEqual(Math.max(1, scale / ratio));
        expect(column).toBeGreaterThan(scale / ratio / 2 - 1);
      }
    }
  });

  it("cover the view, within the profile", () => {
    const span = TILE_COLUMNS * 4;
    expect(tilesOf({ start: span * 1.5, scale: 4, width: TILE_COLUMNS }, 2, 1e9)).toEqual([1, 3]);
    expect(tilesOf({ start: -span, scale: 4, width: TILE_COLUMNS / 2 }, 2, 1e9)).toEqual([0, 1]);
    expect(tilesOf({ start: 0, scale: 400, width: TILE_COLUMNS }, 2, span * 2.5)).toEqual([0, 3]);
  });
});
