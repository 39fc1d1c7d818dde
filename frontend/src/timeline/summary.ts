/** How many events are in view, and how many of them are drawn together. */
import type { Slice } from "./raster";
import type { Strips } from "./renderer";

export interface Summary {
  events: number;
  /** Of those, the ones shorter than a pixel column, drawn as the share of time they cover. */
  aggregated: number;
}

export function summarised(tracks: readonly Strips[], start: number, end: number): Summary {
  let exact = 0;
  let aggregated = 0;
  for (const { lanes } of tracks) {
    for (const slices of lanes) {
      for (const slice of slices) {
        exact += eventsIn(slice, start, end);
        aggregated += inBlocks(slice, start, end);
      }
    }
  }
  return { events: exact + aggregated, aggregated };
}

/** Events that overlap the view and begin in this slice, or before the view where the slice holds its left edge. */
function eventsIn({ tile, strip, from, to }: Slice, start: number, end: number): number {
  let count = 0;
  const leftmost = from <= start;
  for (let i = strip.eventFrom; i < strip.eventTo; i++) {
    const begins = tile.start + (tile.eventStart[i] as number);
    if (begins >= Math.min(end, to)) break;
    if (tile.start + (tile.eventEnd[i] as number) > start && (begins >= from || leftmost)) count++;
  }
  return count;
}

function inBlocks({ tile, strip, from, to }: Slice, start: number, end: number): number {
  let count = 0;
  for (let i = strip.blockFrom; i < strip.blockTo; i++) {
    const at = tile.start + (tile.blockColumn[i] as number) * tile.bin;
    if (at >= Math.min(end, to)) break;
    if (at + tile.bin > Math.max(start, from)) count += tile.blockCount[i] as number;
  }
  return count;
}
