import { describe, expect, it } from "vitest";
import { decodeTile } from "./tiles";

/** A window with one event and two blocks on two lanes of track 7, and a lane without anything of track 9. */
function sample(): ArrayBuffer {
  const data = new ArrayBuffer(40 + 16 * 3 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 8);
  const view = new DataView(data);
  view.setUint32(0, 0x32574c54, true);
  [3, 1, 2].forEach((count, i) => view.setUint32(4 + 4 * i, count, true));
  view.setFloat64(16, 1000, true);
  view.setFloat64(24, 16, true);
  view.setUint32(32, 2048, true);
  let at = 40;
  const put = (values: number[], size: 2 | 4 | 8): void => {
    values.forEach((value, i) => {
      if (size === 8) view.setFloat64(at + 8 * i, value, true);
      else if (size === 4) view.setInt32(at + 4 * i, value, true);
      else view.setUint16(at + 2 * i, value, true);
    });
    at += Math.ceil((values.length * size) / 8) * 8;
  };
  put([7, 7, 9], 4);
  put([1, 0, 0], 4);
  put([0, 2, 0], 4);
  put([-5], 8);
  put([99.0], 8);
  put([3], 4);
  put([41], 4);
  put([0, 9], 2);
  put([65535, 1], 2);
  put([12, 1], 4);
  put([4, 5], 4);
  put([42, -2], 4);
  expect(at).toBe(data.byteLength);
  return data;
}

describe("a tile", () => {
  it("is read from the server's bytes", () => {
    const tile = decodeTile(sample());
    expect([tile.start, tile.bin, tile.columns]).toEqual([1000, 16, 2048]);
    expect([...tile.tracks]).toEqual([
      [
        7,
        [
          { eventFrom: 0, eventTo: 1, blockFrom: 0, blockTo: 0 },
          { eventFrom: 1, eventTo: 1, blockFrom: 0, blockTo: 2 },
        ],
      ],
      [9, [{ eventFrom: 1, eventTo: 1, blockFrom: 2, blockTo: 2 }]],
    ]);
    expect([tile.eventStart[0], tile.eventEnd[0], tile.eventName[0], tile.eventId[0]]).toEqual([
      -5, 99, 3, 41,
    ]);
    expect([...tile.blockColumn]).toEqual([0, 9]);
    expect([...tile.blockBusy]).toEqual([65535, 1]);
    expect([...tile.blockCount]).toEqual([12, 1]);
    expect([...tile.blockName]).toEqual([4, 5]);
    expect([...tile.blockId]).toEqual([42, 40]);
  });

  it("is refused when the bytes are something else", () => {
    expect(() => decodeTile(new TextEncoder().encode("{}").buffer)).toThrow("no window");
  });
});
