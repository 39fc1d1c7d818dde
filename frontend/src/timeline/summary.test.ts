import { describe, expect, it } from "vitest";
import type { Strips } from "./renderer";
import { random, randomLane, tileOf } from "./samples";
import { summarised } from "./summary";

describe("the events in view", () => {
  it("are counted once, whatever tiles they reach into", () => {
    const next = random(3);
    for (let round = 0; round < 40; round++) {
      const spans = randomLane(next, 2000).filter((span) => span.end > span.start);
      const bin = 1 + Math.floor(next() * 20);
      const columns = 1 + Math.floor(next() * 30);
      const count = Math.ceil(2600 / (bin * columns));
      const slices = Array.from({ length: count }, (_, i) => {
        const tile = tileOf([spans], i * bin * columns, bin, columns);
        const strip = tile.tracks.get(0)?.[0];
        if (!strip) throw new Error("no lane");
        return { tile, strip, from: tile.start, to: tile.start + bin * columns };
      });
      const track: Strips = { track: 0, y: 0, laneHeight: 1, lanes: [slices] };
      const short = spans.filter((span) => span.end - span.start < bin).length;
      expect(summarised([track], -10, 3000)).toEqual({ events: spans.length, aggregated: short });
    }
  });
});
