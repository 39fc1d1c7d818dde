/** Which event, or which block of short ones, is drawn at a point. */
import type { Slice } from "./raster";
import { WHOLE } from "./tiles";

/** Number of what is no event. */
export const NO_EVENT = -1;

export interface Hit {
  /** Number of the event; in a block, of the one that covers most. */
  id: number;
  name: number;
  /** Picoseconds. Bounds of the event, or of the block's column. */
  start: number;
  end: number;
  /** Of a block: how many events begin there, and what share of its time they cover. */
  block: { count: number; busy: number } | null;
}

/** What is at `time` in a lane, or within `reach` picoseconds of it. An event wins over a block. */
export function hitAt(slices: readonly Slice[], time: number, reach: number): Hit | null {
  let nearest: Hit | null = null;
  let distance = reach;
  const consider = (hit: Hit): void => {
    const away = Math.max(hit.start - time, time - hit.end, 0);
    if (away > distance || (nearest && away === distance)) return;
    distance = away;
    nearest = hit;
  };
  for (const slice of slices) {
    if (slice.to < time - reach || slice.from > time + reach) continue;
    const event = eventAt(slice, time);
    if (event) return event;
    for (const hit of near(slice, time, reach)) consider(hit);
  }
  return nearest;
}

function eventAt({ tile, strip }: Slice, time: number): Hit | null {
  const at = time - tile.start;
  let low = strip.eventFrom;
  let high = strip.eventTo;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tile.eventStart[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  const i = low - 1;
  if (i < strip.eventFrom || (tile.eventEnd[i] as number) <= at) return null;
  return {
    id: tile.eventId[i] as number,
    name: tile.eventName[i] as number,
    start: tile.start + (tile.eventStart[i] as number),
    end: tile.start + (tile.eventEnd[i] as number),
    block: null,
  };
}

/** Blocks and events of a slice in reach of a time. */
function* near({ tile, strip, from, to }: Slice, time: number, reach: number): Generator<Hit> {
  for (let i = strip.blockFrom; i < strip.blockTo; i++) {
    const start = tile.start + (tile.blockColumn[i] as number) * tile.bin;
    if (start > time + reach) break;
    if (start + tile.bin < time - reach || start + tile.bin <= from || start >= to) continue;
    yield {
      id: tile.blockId[i] as number,
      name: tile.blockName[i] as number,
      start,
      end: start + tile.bin,
      block: {
        count: tile.blockCount[i] as number,
        busy: (tile.blockBusy[i] as number) / WHOLE,
      },
    };
  }
  for (let i = strip.eventFrom; i < strip.eventTo; i++) {
    const start = tile.start + (tile.eventStart[i] as number);
    if (start > time + reach) break;
    const end = tile.start + (tile.eventEnd[i] as number);
    if (end < time - reach) continue;
    const [id, name] = [tile.eventId[i] as number, tile.eventName[i] as number];
    yield { id, name, start, end, block: null };
  }
}
