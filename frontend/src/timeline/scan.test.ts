import { describe, expect, it } from "vitest";
import { Orders } from "./order";
import { rasterised } from "./raster";
import type { Picture, Shade } from "./renderer";
import { random, randomLane, tileOf } from "./samples";
import { Scan } from "./scan";
import { byName } from "./shade";
import type { Tile } from "./tiles";

const WIDTH = 90;
const next = random(11);
const tiles = [0, 1000].map((start) =>
  tileOf([randomLane(next, 2000), randomLane(next, 2000)], start, 10, 100),
);

function pictureOf(own: Tile[], shade: Picture["shade"], palette: Uint32Array): Picture {
  const lanes = [0, 1].map((lane) =>
    own.flatMap((tile) => {
      const strip = tile.tracks.get(0)?.[lane];
      return strip ? [{ tile, strip, from: tile.start, to: tile.start + 1000 }] : [];
    }),
  );
  const tracks = [{ track: 0, y: 0, laneHeight: 18, lanes }];
  return { width: WIDTH, height: 36, start: 300, scale: 15, tracks, shade, palette, unnamed: 0xff00ff00 };
}

describe("the worker", () => {
  it("draws each picture from what it was sent with it and before", () => {
    const [orders, scan] = [new Orders(), new Scan()];
    const palette = Uint32Array.from({ length: 4 }, (_, i) => 0xff000000 + 0x102030 * i);
    const pale = palette.map((pixel) => (pixel & 0xffffff) | 0x30000000);
    const one = tiles.slice(0, 1);
    const even: Shade[] = tiles.map((tile) => ({
      events: tile.eventName.map((name) => name % 2),
      blocks: tile.blockName.map((name) => name % 2),
    }));
    const byParity = (tile: Tile): Shade => even[tiles.indexOf(tile)] as Shade;
    const sent: number[][] = [];
    for (const picture of [
      pictureOf(one, byName, palette),
      pictureOf(tiles, byName, palette),
      pictureOf(tiles, byName, pale),
      pictureOf(tiles, byParity, pale),
      pictureOf(tiles, byName, palette),
    ]) {
      const order = structuredClone(orders.of(picture, 0));
      sent.push([order.tiles.length, order.shades.length, order.palette ? 1 : 0]);
      const out = new Uint32Array(2 * WIDTH);
      scan.draw(order, out);
      expect(out).toEqual(rasterised(picture));
    }
    expect(sent).toEqual([
      [1, 1, 1],
      [1, 1, 0],
      [0, 0, 1],
      [0, 2, 0],
      [0, 2, 1],
    ]);
  });

  it("forgets tiles that were not drawn for long, and is sent them again", () => {
    const [orders, scan] = [new Orders(), new Scan()];
    const palette = Uint32Array.of(0xff102030);
    const both = pictureOf(tiles, byName, palette);
    scan.draw(orders.of(both, 0), new Uint32Array(2 * WIDTH));
    const one = pictureOf(tiles.slice(0, 1), byName, palette);
    const forgotten = Array.from({ length: 1000 }, () => orders.of(one, 0).forgotten.length);
    expect(forgotten.reduce((sum, count) => sum + count)).toBe(1);
    expect(orders.of(both, 0).tiles).toHaveLength(1);
  });

  it("draws beyond both sides what the camera may move to before it answers", () => {
    const picture = pictureOf(tiles, byName, Uint32Array.of(0xff102030));
    const wide = { ...picture, width: WIDTH + 20, start: picture.start - 10 * picture.scale };
    const out = new Uint32Array(2 * (WIDTH + 20));
    new Scan().draw(new Orders().of(picture, 10), out);
    expect(out).toEqual(rasterised(wide));
  });
});
