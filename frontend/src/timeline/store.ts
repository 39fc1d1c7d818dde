/**
 * Tiles of the timeline: windows of a power of two, fetched when first on screen, neighbours together, kept while there is
 * room, replaced by coarser or finer ones until they arrive.
 */
import { isAbort } from "../api";
import type { Slice } from "./raster";
import { decodeTile, type Tile } from "./tiles";
import { TILE_COLUMNS, tileSpan } from "./viewport";

export type FetchWindow = (
  params: Record<string, string | number>,
  signal: AbortSignal,
) => Promise<ArrayBuffer>;

/** What the screen shows: tiles `from` to `to` of a level, for some tracks. */
export interface Want {
  level: number;
  from: number;
  to: number;
  tracks: readonly number[];
}

/** A tile shown between two times. */
export interface Piece {
  tile: Tile;
  from: number;
  to: number;
}

interface Entry {
  tile: Tile;
  used: number;
}

/** Asks for tiles `from` to `to` of a level at once. */
interface Request {
  level: number;
  from: number;
  to: number;
  tracks: ReadonlySet<number>;
  abort: AbortController;
}

const MOST_BYTES = 64 * 2 ** 20;
/** Levels that a finer tile may be below the one it stands in for. */
const FINER = 2;
/** Tiles in one request. */
const MOST_TOGETHER = 8;
/** After a failure. */
export const RETRY_MS = 3000;

export class TileStore {
  /** The whole profile in one coarse tile: the last resort. */
  root: Tile | null = null;
  failure: unknown = null;
  private readonly entries = new Map<string, Entry>();
  private readonly requests = new Set<Request>();
  private bytes = 0;
  private clock = 0;
  private retryAt = 0;

  constructor(
    private readonly fetchWindow: FetchWindow,
    private readonly onChange: () => void,
  ) {}

  get loading(): boolean {
    return this.requests.size > 0;
  }

  /** Fetches what is missing of `want` and gives up what is no longer wanted. */
  want(want: Want): void {
    for (const request of this.requests) {
      if (request.level !== want.level || request.to <= want.from || request.from >= want.to) {
        request.abort.abort();
        this.requests.delete(request);
      }
    }
    if (performance.now() < this.retryAt) return;
    let run: { from: number; tracks: number[] } | null = null;
    for (let index = want.from; index <= want.to; index++) {
      const missing = index < want.to ? this.missing(want, index) : [];
      if (run && index - run.from < MOST_TOGETHER && same(run.tracks, missing)) continue;
      if (run) void this.fetch(want.level, run.from, index, run.tracks);
      run = missing.length > 0 ? { from: index, tracks: missing } : null;
    }
  }

  /** What there is to draw of a track, from left to right; pieces of other levels stand in for missing tiles. */
  pieces(track: number, level: number, from: number, to: number): Piece[] {
    const found: Piece[] = [];
    for (let index = from; index < to; index++) this.cover(track, level, index, FINER, found);
    return found;
  }

  has(track: number, level: number, index: number): boolean {
    return this.entries.has(key(level, index, track));
  }

  dispose(): void {
    for (const request of this.requests) request.abort.abort();
    this.requests.clear();
  }

  private cover(track: number, level: number, index: number, finer: number, found: Piece[]): void {
    const span = tileSpan(level);
    const [from, to] = [index * span, (index + 1) * span];
    const own = this.entries.get(key(level, index, track));
    if (own) {
      own.used = ++this.clock;
      put(found, { tile: own.tile, from, to });
      return;
    }
    if (finer > 0 && level > 0) {
      const children = [2 * index, 2 * index + 1];
      if (children.some((child) => this.has(track, level - 1, child))) {
        for (const child of children) this.cover(track, level - 1, child, finer - 1, found);
        return;
      }
    }
    for (let up = 1; up < 40; up++) {
      const coarser = this.entries.get(key(level + up, Math.floor(index / 2 ** up), track));
      if (coarser) {
        put(found, { tile: coarser.tile, from, to });
        return;
      }
    }
    if (this.root?.tracks.has(track)) put(found, { tile: this.root, from, to });
  }

  /** The tracks whose tile is neither here nor on its way. */
  private missing({ level, tracks }: Want, index: number): number[] {
    const asked = [...this.requests].filter(({ from, to }) => from <= index && index < to);
    return tracks.filter(
      (track) => !this.has(track, level, index) && !asked.some((request) => request.tracks.has(track)),
    );
  }

  private async fetch(level: number, from: number, to: number, tracks: number[]): Promise<void> {
    const request: Request = { level, from, to, tracks: new Set(tracks), abort: new AbortController() };
    this.requests.add(request);
    const span = tileSpan(level);
    const params = {
      start_ps: from * span,
      end_ps: to * span,
      pixels: (to - from) * TILE_COLUMNS,
      tracks: tracks.join(","),
    };
    try {
      const tile = decodeTile(await this.fetchWindow(params, request.abort.signal));
      if (!this.requests.has(request)) return;
      this.keep(request, tile);
      this.failure = null;
    } catch (error) {
      if (isAbort(error)) return;
      this.failure = error;
      this.retryAt = performance.now() + RETRY_MS;
      setTimeout(this.onChange, RETRY_MS);
    } finally {
      this.requests.delete(request);
      this.onChange();
    }
  }

  private keep({ level, from, to }: Request, tile: Tile): void {
    for (const track of tile.tracks.keys()) {
      for (let index = from; index < to; index++)
        this.entries.set(key(level, index, track), { tile, used: ++this.clock });
    }
    this.bytes += tile.data.byteLength;
    if (this.bytes > MOST_BYTES) this.forget();
  }

  /** Drops the tiles that were not drawn for longest, until half of the room is free. */
  private forget(): void {
    const last = new Map<Tile, number>();
    for (const { tile, used } of this.entries.values()) last.set(tile, Math.max(last.get(tile) ?? 0, used));
    const oldest = [...last].sort((a, b) => a[1] - b[1]).map(([tile]) => tile);
    const dropped = new Set<Tile>();
    while (this.bytes > MOST_BYTES / 2 && oldest.length > 0) {
      const tile = oldest.shift() as Tile;
      dropped.add(tile);
      this.bytes -= tile.data.byteLength;
    }
    for (const [name, entry] of this.entries) if (dropped.has(entry.tile)) this.entries.delete(name);
  }
}

/** The slices of one lane. */
export function slicesOf(pieces: readonly Piece[], track: number, lane: number): Slice[] {
  return pieces.flatMap(({ tile, from, to }) => {
    const strip = tile.tracks.get(track)?.[lane];
    return strip ? [{ tile, strip, from, to }] : [];
  });
}

/** Adds a piece, or makes the last one longer where it is of the same tile. */
function put(found: Piece[], piece: Piece): void {
  const last = found.at(-1);
  if (last?.tile === piece.tile && last.to === piece.from) last.to = piece.to;
  else found.push(piece);
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

const key = (level: number, index: number, track: number): string => `${level}/${index}/${track}`;
