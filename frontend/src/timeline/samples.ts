/** Tiles from plain lists of events, for tests: what the server's window query answers. */
import { WHOLE, type Tile } from "./tiles";

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
  return {
    start,
    bin,
    columns,
    tracks: new Map([[track, strips]]),
    eventStart: Float64Array.from(events, (event) => event.start - start),
    eventEnd: Float64Array.from(events, (event) => event.end - start),
    eventName: Uint32Array.from(events, (event) => event.name ?? 0),
    eventId: Uint32Array.from(events, (event) => event.id),
    blockColumn: Uint16Array.from(blocks, (block) => block.column),
    blockBusy: Uint16Array.from(blocks, (block) => Math.ceil((block.covered * WHOLE) / bin)),
    blockCount: Uint32Array.from(blocks, (block) => block.count),
    blockName: Uint32Array.from(blocks, (block) => block.name),
    blockId: Uint32Array.from(blocks, (block) => block.id),
    bytes: 0,
  };
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
