import { describe, expect, it, vi } from "vitest";
import { TileStore } from "./store";
import type { Tile } from "./tiles";
import { TILE_COLUMNS } from "./viewport";

/** The server's answer without events, for the tracks asked for. */
function answer(params: Record<string, string | number>): ArrayBuffer {
  const tracks = String(params["tracks"]).split(",").map(Number);
  const padded = Math.ceil((tracks.length * 4) / 8) * 8;
  const data = new ArrayBuffer(40 + 3 * padded);
  const view = new DataView(data);
  view.setUint32(0, 0x32574c54, true);
  view.setUint32(4, tracks.length, true);
  view.setFloat64(16, Number(params["start_ps"]), true);
  view.setFloat64(
    24,
    (Number(params["end_ps"]) - Number(params["start_ps"])) / Number(params["pixels"]),
    true,
  );
  view.setUint32(32, Number(params["pixels"]), true);
  tracks.forEach((track, i) => view.setInt32(40 + 4 * i, track, true));
  return data;
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function store(fetch = vi.fn(async (params: Record<string, string | number>) => answer(params))) {
  const changed = vi.fn();
  return { tiles: new TileStore((params) => fetch(params), changed), fetch, changed };
}

const levels = (pieces: { tile: Tile; from: number; to: number }[]): number[][] =>
  pieces.map(({ tile, from, to }) => [Math.log2(tile.bin), from / TILE_COLUMNS, to / TILE_COLUMNS]);

describe("tiles", () => {
  it("are fetched once, for the tracks that lack them", async () => {
    const { tiles, fetch, changed } = store();
    tiles.want({ level: 3, from: 1, to: 3, tracks: [4, 5] });
    tiles.want({ level: 3, from: 1, to: 3, tracks: [4, 5] });
    await settled();
    tiles.want({ level: 3, from: 1, to: 3, tracks: [4, 5, 6] });
    await settled();
    expect(
      fetch.mock.calls.map(([params]) => [params["start_ps"], params["end_ps"], params["tracks"]]),
    ).toEqual([
      [16384, 49152, "4,5"],
      [16384, 49152, "6"],
    ]);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("are fetched together where they are neighbours and lack the same tracks", async () => {
    const { tiles, fetch } = store();
    tiles.want({ level: 0, from: 1, to: 2, tracks: [4] });
    await settled();
    tiles.want({ level: 0, from: 0, to: 4, tracks: [4, 5] });
    await settled();
    expect(
      fetch.mock.calls.map(([params]) => [params["start_ps"], params["pixels"], params["tracks"]]),
    ).toEqual([
      [2048, 2048, "4"],
      [0, 2048, "4,5"],
      [2048, 2048, "5"],
      [4096, 4096, "4,5"],
    ]);
    expect(levels(tiles.pieces(4, 0, 0, 4))).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [0, 2, 4],
    ]);
  });

  it("are at most eight in a request", () => {
    const { tiles, fetch } = store();
    tiles.want({ level: 0, from: 0, to: 20, tracks: [1] });
    expect(fetch.mock.calls.map(([params]) => params["pixels"])).toEqual([16384, 16384, 8192]);
  });

  it("are given up when the view has moved on", () => {
    const signals: AbortSignal[] = [];
    const tiles = new TileStore((_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    }, vi.fn());
    tiles.want({ level: 3, from: 0, to: 2, tracks: [1] });
    tiles.want({ level: 3, from: 1, to: 3, tracks: [1] });
    tiles.want({ level: 3, from: 2, to: 3, tracks: [1] });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    tiles.want({ level: 4, from: 0, to: 1, tracks: [1] });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true, false]);
  });

  it("let coarser and finer ones stand in for them", async () => {
    const { tiles } = store();
    tiles.want({ level: 4, from: 0, to: 1, tracks: [1] });
    await settled();
    tiles.want({ level: 2, from: 1, to: 2, tracks: [1] });
    await settled();
    expect(levels(tiles.pieces(1, 3, 0, 2))).toEqual([
      [4, 0, 4],
      [2, 4, 8],
      [4, 8, 16],
    ]);
    expect(tiles.pieces(2, 3, 0, 2)).toEqual([]);
  });

  it("say when the server fails, and wait before they ask again", async () => {
    const { tiles, fetch } = store(vi.fn(async () => Promise.reject(new Error("gone"))));
    tiles.want({ level: 0, from: 0, to: 1, tracks: [1] });
    await settled();
    tiles.want({ level: 0, from: 0, to: 1, tracks: [1] });
    expect(tiles.failure).toEqual(new Error("gone"));
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
