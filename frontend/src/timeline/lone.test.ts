import { expect, it } from "vitest";
import { loneOf } from "./lone";
import { tileOf, type Span } from "./samples";
import type { Shade } from "./renderer";
import type { Tile } from "./tiles";

const VIEW = { start: 0, scale: 1000, width: 1000 };
const shade = ({ eventName, blockName }: Tile): Shade => ({ events: eventName, blocks: blockName });

/** The pixels in which a lane of these spans gets marks. */
function marked(spans: Span[]): number[] {
  const tile = tileOf([spans], 0, 1000, 1000);
  const [strip] = tile.tracks.get(0) ?? [];
  if (!strip) throw new Error("no lane");
  return loneOf([{ tile, strip, from: 0, to: 1e6 }], VIEW, shade).map(({ x }) => x);
}

const at = (pixel: number, length = 0): Span => ({ start: pixel * 1000, end: pixel * 1000 + length });

it("marks an instant, and what hardly fills its pixel, where nothing else is near", () => {
  expect(marked([at(100)])).toEqual([100]);
  expect(marked([at(100), at(300, 100), at(500, 900)])).toEqual([100, 300]);
});

it("leaves alone what is close to others, or wide enough to be seen", () => {
  expect(marked([at(100), at(120), at(400, 50_000), at(470)])).toEqual([]);
});

it("leaves busy lanes alone", () => {
  expect(marked(Array.from({ length: 200 }, (_, i) => at(5 * i)))).toEqual([]);
});
