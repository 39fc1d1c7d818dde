/** Tiles from plain lists of events, for tests: what the server's window query answers. */
import { decodeTile, WHOLE, type Tile } from "./tiles";

export interface Span {
  start: number;
  end: number;
  name?: number;
}

/** A tile of one track. `lanes` holds spans that do not overlap within a lane, sorted by start. */
export function tileOf(lanes: Span[][], start: number, bin: number, columns: number, track = 0): Tile {
  const events: (Span & { id: number })[] = [];
  const blocks: { column: number; covered: number; count: number; part: number; id: number; name: number }[] =
    [];
  const end = start + bin * columns;
  let id = 0;
  const strips = lanes.map((spans) => {
    const eventFrom = events.length;
    const blockFrom = blocks.length;
    const own = new Map<number, (typeof blocks)[number]>();
    for (const span of spans) {
      const number = id++;
      if (span.start >= end || (span.end <= start && span.start < start)) continue;
      if (span.end - span.start >= bin) {
        events.push({ ...span, id: number });
        continue;
      }
      const first = Math.floor((Math.max(span.start, start) - start) / bin);
      for (let column = first; column <= first + 1 && column < columns; column++) {
        const low = Math.max(start + column * bin, span.start);
        const part = Math.min(start + (column + 1) * bin, span.end) - low;
        if (column > first && part <= 0) continue;
        const cell = own.get(column) ?? { column, covered: 0, count: 0, part: -1, id: 0, name: 0 };
        own.set(column, cell);
        cell.covered += part;
        if (column === first && span.start >= start) cell.count++;
        if (part > cell.part) Object.assign(cell, { part, id: number, name: span.name ?? 0 });
      }
    }
    blocks.push(...[...own.values()].sort((a, b) => a.column - b.column));
    return { eventFrom, eventTo: events.length, blockFrom, blockTo: blocks.length };
  });
  return decodeTile(
    encoded({ start, bin, columns }, [
      Int32Array.from(strips, () => track),
      Uint32Array.from(strips, (strip) => strip.eventTo - strip.eventFrom),
      Uint32Array.from(strips, (strip) => strip.blockTo - strip.blockFrom),
      Float64Array.from(events, (event) => event.start - start),
      Float64Array.from(events, (event) => event.end - start),
      Uint32Array.from(events, (event) => event.name ?? 0),
      Uint32Array.from(events, (event, i) => event.id - (events[i - 1]?.id ?? 0)),
      Uint16Array.from(blocks, (block) => block.column),
      Uint16Array.from(blocks, (block) => Math.ceil((block.covered * WHOLE) / bin)),
      Uint32Array.from(blocks, (block) => block.count),
      Uint32Array.from(blocks, (block) => block.name),
      Uint32Array.from(blocks, (block, i) => block.id - (blocks[i - 1]?.id ?? 0)),
    ]),
  );
}

/** Header and columns as the server writes them: lanes first, then events, then blocks. */
function encoded(
  { start, bin, columns }: Pick<Tile, "start" | "bin" | "columns">,
  parts: (Int32Array | Uint32Array | Uint16Array | Float64Array)[],
): ArrayBuffer {
  const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;
  const data = new ArrayBuffer(40 + parts.reduce((sum, part) => sum + padded(part.byteLength), 0));
  const header = new DataView(data);
  header.setUint32(0, 0x3257_4c54, true);
  [0, 3, 7].forEach((part, i) => header.setUint32(4 + 4 * i, parts[part]?.length ?? 0, true));
  header.setFloat64(16, start, true);
  header.setFloat64(24, bin, true);
  header.setUint32(32, columns, true);
  let at = 40;
  for (const part of parts) {
    new Uint8Array(data, at).set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    at += padded(part.byteLength);
  }
  return data;
}

/** Numbers between 0 and 1 that are the same on every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Spans of one lane: short and long ones, gaps, and instants. */
export function randomLane(next: () => number, end: number): Span[] {
  const spans: Span[] = [];
  for (let at = Math.floor(next() * 20); at < end;) {
    const length = next() < 0.2 ? 0 : Math.floor(next() ** 4 * end * 0.2);
    spans.push({ start: at, end: at + length, name: Math.floor(next() * 5) });
    at += length + 1 + Math.floor(next() ** 3 * 40);
  }
  return spans;
}
