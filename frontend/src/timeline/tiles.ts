/** The binary answer of the query `window`. The layout is described in `profiler_plugin/tools/_timeline_window.py`. */

/** Rows of one lane in the columns of a tile. */
export interface Strip {
  eventFrom: number;
  eventTo: number;
  blockFrom: number;
  blockTo: number;
}

export interface Tile {
  start: number;
  /** Width of a column, picoseconds. */
  bin: number;
  columns: number;
  /** By track, one strip per lane. */
  tracks: Map<number, Strip[]>;
  /** Of each event, picoseconds from the start of the tile. */
  eventStart: Float64Array;
  eventEnd: Float64Array;
  eventName: Uint32Array;
  eventId: Uint32Array;
  blockColumn: Uint16Array;
  /** Share of the column that events cover; 65535 is all of it. */
  blockBusy: Uint16Array;
  /** Events that begin in the column. */
  blockCount: Uint32Array;
  /** Name and number of the event that covers most of the column. */
  blockName: Uint32Array;
  blockId: Uint32Array;
  /** The answer itself, in which all columns but those of ids lie. */
  data: ArrayBuffer;
}

export const WHOLE = 65535;
const MAGIC = 0x3257_4c54; // "TLW2"
const HEADER = 40;

export function decodeTile(data: ArrayBuffer): Tile {
  const header = new DataView(data, 0, Math.min(HEADER, data.byteLength));
  if (data.byteLength < HEADER || header.getUint32(0, true) !== MAGIC) {
    throw new Error(
      "The server's answer is no window of the timeline. Reload the page: the server may have been updated.",
    );
  }
  const lanes = header.getUint32(4, true);
  const events = header.getUint32(8, true);
  const blocks = header.getUint32(12, true);
  let at = HEADER;
  const take = <T extends ArrayBufferView>(
    make: { new (buffer: ArrayBuffer, offset: number, length: number): T; BYTES_PER_ELEMENT: number },
    length: number,
  ): T => {
    const values = new make(data, at, length);
    at += Math.ceil((length * make.BYTES_PER_ELEMENT) / 8) * 8;
    return values;
  };
  const track = take(Int32Array, lanes);
  const laneEvents = take(Uint32Array, lanes);
  const laneBlocks = take(Uint32Array, lanes);
  return {
    start: header.getFloat64(16, true),
    bin: header.getFloat64(24, true),
    columns: header.getUint32(32, true),
    tracks: strips(track, laneEvents, laneBlocks),
    eventStart: take(Float64Array, events),
    eventEnd: take(Float64Array, events),
    eventName: take(Uint32Array, events),
    eventId: summed(take(Uint32Array, events)),
    blockColumn: take(Uint16Array, blocks),
    blockBusy: take(Uint16Array, blocks),
    blockCount: take(Uint32Array, blocks),
    blockName: take(Uint32Array, blocks),
    blockId: summed(take(Uint32Array, blocks)),
    data,
  };
}

/** Numbers from the differences between them. */
function summed(differences: Uint32Array): Uint32Array {
  const sums = new Uint32Array(differences.length);
  let sum = 0;
  for (let i = 0; i < sums.length; i++) sums[i] = sum += differences[i] as number;
  return sums;
}

function strips(track: Int32Array, events: Uint32Array, blocks: Uint32Array): Map<number, Strip[]> {
  const found = new Map<number, Strip[]>();
  let event = 0;
  let block = 0;
  for (let lane = 0; lane < track.length; lane++) {
    const strip: Strip = {
      eventFrom: event,
      eventTo: (event += events[lane] as number),
      blockFrom: block,
      blockTo: (block += blocks[lane] as number),
    };
    const key = track[lane] as number;
    const own = found.get(key);
    if (own) own.push(strip);
    else found.set(key, [strip]);
  }
  return found;
}
