import { describe, expect, it } from "vitest";
import { Raster, type Slice } from "./raster";
import { FAINTEST } from "./renderer";
import { random, randomLane, tileOf, type Span } from "./samples";
import { byName } from "./shade";
import type { Tile } from "./tiles";

const slice = (tile: Tile, from = tile.start, to = tile.start + tile.bin * tile.columns): Slice => ({
  tile,
  strip: tile.tracks.get(0)?.[0] ?? { eventFrom: 0, eventTo: 0, blockFrom: 0, blockTo: 0 },
  from,
  to,
});

/** Share of each pixel's time that spans cover. */
function covered(spans: Span[], start: number, scale: number, width: number): number[] {
  return Array.from({ length: width }, (_, x) => {
    const low = start + x * scale;
    const high = low + scale;
    const time = spans.reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.end, high) - Math.max(span.start, low)),
      0,
    );
    return time / scale;
  });
}

describe("a lane", () => {
  it("shows long events exactly and the share that short ones cover", () => {
    const spans = [
      { start: 2, end: 6, name: 1 },
      { start: 8, end: 9, name: 2 },
      { start: 11, end: 11, name: 3 },
    ];
    const raster = new Raster(8);
    raster.measure([slice(tileOf([spans], 0, 2, 8))], 0, 2, byName);
    expect([...raster.cover].map((share) => Number(share.toFixed(3)))).toEqual([0, 1, 1, 0, 0.5, 0, 0, 0]);
    expect([...raster.place]).toEqual([-1, 1, 1, -1, 2, 3, -1, -1]);
  });

  it("paints what is covered opaquely, the rest fainter, and never hides an instant", () => {
    const spans = [
      { start: 0, end: 4, name: 0 },
      { start: 5, end: 5, name: 0 },
    ];
    const raster = new Raster(4);
    raster.measure([slice(tileOf([spans], 0, 2, 4))], 0, 2, byName);
    const row = new Uint32Array(4);
    raster.paint(row, 0, Uint32Array.of(0xff102030), 0);
    expect([...row].map((pixel) => pixel >>> 24)).toEqual([255, 255, Math.floor(255 * FAINTEST), 0]);
    expect((row[0] as number) & 0xffffff).toBe(0x102030);
  });

  it("is what a brute-force reading of the events says, within one pixel", () => {
    const next = random(7);
    for (let round = 0; round < 60; round++) {
      const spans = randomLane(next, 3000);
      const bin = 1 + Math.floor(next() * 12);
      const scale = bin * (1 + next());
      const start = Math.floor(next() * 1000) - 200;
      const tile = tileOf([spans], 0, bin, Math.ceil(4000 / bin));
      const raster = new Raster(120);
      raster.measure([slice(tile)], start, scale, byName);
      const truth = covered(spans, start, scale, 120);
      // What is shorter than a column may be drawn anywhere in it: compare sums up to every pixel.
      let drawn = 0;
      let real = 0;
      for (let x = 0; x < 120; x++) {
        drawn += raster.cover[x] as number;
        real += truth[x] as number;
        expect(Math.abs(drawn - real)).toBeLessThan(1 + 120 / 65535);
      }
      for (const span of spans) {
        if (span.end - span.start < bin) continue;
        const from = Math.ceil((span.start - start) / scale);
        const to = Math.floor((span.end - start) / scale);
        for (let x = Math.max(from, 0); x < Math.min(to, 120); x++) {
          expect(raster.cover[x]).toBeGreaterThan(0.999);
          expect(raster.place[x]).toBe(span.name);
        }
      }
    }
  });

  it("joins neighbouring tiles without a seam, and stays inside the time of each", () => {
    const spans = [{ start: 3, end: 30, name: 1 }];
    const raster = new Raster(16);
    const tiles = [tileOf([spans], 0, 2, 8), tileOf([spans], 16, 2, 8)];
    raster.measure(
      tiles.map((tile) => slice(tile)),
      0,
      2,
      byName,
    );
    expect([...raster.cover]).toEqual([0, 0.5, ...Array<number>(13).fill(1), 0]);
  });

  it("lets a coarser tile stand in for a part of the view", () => {
    const spans = [{ start: 0, end: 64, name: 4 }];
    const raster = new Raster(16);
    raster.measure([slice(tileOf([spans], 0, 16, 8), 32, 48)], 32, 2, byName);
    expect([...raster.place]).toEqual([...Array<number>(8).fill(4), ...Array<number>(8).fill(-1)]);
  });
});
