/** Where each section, track and lane is drawn, in CSS pixels from the top of the whole drawing. */
import type { Model, Section, Track } from "./model";

/** Heights at the usual size of text. */
export const LANE = 18;
const COMPACT_LANE = 4;
const COUNTER = 40;
const GAP = 5;
const SECTION = 26;
const LEAST_TRACK = 20;

export interface Choices {
  /** Sections that show their heading only. */
  closed: ReadonlySet<number>;
  /** Sections whose idle tracks are shown. */
  opened: ReadonlySet<number>;
  /** Tracks with thin lanes. */
  compact: ReadonlySet<number>;
  hidden: ReadonlySet<number>;
  /** Tracks shown above all sections, in this order. */
  pinned: readonly number[];
  /** Tracks that were moved, with those of their section: they stand in this order. */
  order: readonly number[];
}

export interface SectionRow {
  kind: "section";
  section: Section;
  open: boolean;
  y: number;
  height: number;
}

export interface TrackRow {
  kind: "track";
  section: Section;
  track: Track;
  pinned: boolean;
  y: number;
  height: number;
  laneHeight: number;
}

/** One line in place of the idle tracks of a section. */
export interface IdleRow {
  kind: "idle";
  section: Section;
  tracks: Track[];
  open: boolean;
  y: number;
  height: number;
}

/** Where steps will be drawn, so that nothing moves when they are found. */
export interface RoomRow {
  kind: "room";
  section: Section;
  sought: boolean;
  y: number;
  height: number;
}

export type Row = SectionRow | TrackRow | IdleRow | RoomRow;

export interface Layout {
  rows: Row[];
  /** The rows of sections that have one. */
  headings: ReadonlyMap<Section, SectionRow>;
  height: number;
}

/** `unit` scales heights with the size of the text; with `ratio` device pixels in one of CSS, all of them are whole. */
export function layoutOf(model: Model, choices: Choices, unit = 1, ratio = 1): Layout {
  const rows: Row[] = [];
  const headings = new Map<Section, SectionRow>();
  const whole = (height: number): number => Math.max(Math.round(height * unit * ratio), 1) / ratio;
  const heading = whole(SECTION);
  let y = 0;
  const put = (row: Row): void => {
    rows.push(row);
    y += row.height;
  };
  const heightOf = (drawn: number): number => Math.max(drawn, whole(LEAST_TRACK)) + whole(GAP);
  const putTrack = (section: Section, track: Track, pinned: boolean): void => {
    const full = track.kind === "counter" ? COUNTER / track.lanes : LANE;
    const laneHeight = whole(choices.compact.has(track.id) ? COMPACT_LANE : full);
    put({ kind: "track", section, track, pinned, y, height: heightOf(track.lanes * laneHeight), laneHeight });
  };
  const owners = new Map(
    model.sections.flatMap((section) => section.tracks.map((track) => [track.id, { section, track }])),
  );
  for (const id of choices.pinned) {
    const found = owners.get(id);
    if (found) putTrack(found.section, found.track, true);
  }
  const places = new Map(choices.order.map((id, place) => [id, place]));
  const place = ({ id }: Track): number => places.get(id) ?? Infinity;
  const elsewhere = new Set([...choices.pinned, ...choices.hidden]);
  for (const section of model.sections) {
    const open = !choices.closed.has(section.id);
    // Steps stand above the sections of their host, under the name of their track.
    if (section.kind === "steps") {
      if (section.tracks.length === 0)
        put({ kind: "room", section, sought: model.later, y, height: heightOf(whole(LANE)) });
    } else {
      const row: SectionRow = { kind: "section", section, open, y, height: heading };
      headings.set(section, row);
      put(row);
    }
    if (!open) continue;
    const tracks = section.tracks
      .filter((track) => !elsewhere.has(track.id))
      .sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
    for (const track of tracks) if (!track.idle) putTrack(section, track, false);
    const idle = tracks.filter((track) => track.idle);
    if (idle.length === 0) continue;
    const shown = choices.opened.has(section.id);
    put({ kind: "idle", section, tracks: idle, open: shown, y, height: heading });
    if (shown) for (const track of idle) putTrack(section, track, false);
  }
  return { rows, headings, height: y };
}

/** Rows that have a part between two heights. */
export function rowsBetween(layout: Layout, top: number, bottom: number): Row[] {
  const { rows } = layout;
  let from = rowIndex(layout, top);
  const found: Row[] = [];
  for (; from < rows.length; from++) {
    const row = rows[from] as Row;
    if (row.y >= bottom) break;
    found.push(row);
  }
  return found;
}

/** The row at a height; the last one below the end. */
export function rowIndex({ rows }: Layout, y: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle] as Row;
    if (row.y + row.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The track and lane at a height, or null between them. */
export function laneAt(layout: Layout, y: number): { row: TrackRow; lane: number } | null {
  const row = layout.rows[rowIndex(layout, y)];
  if (row?.kind !== "track" || y < row.y) return null;
  const lane = Math.floor((y - row.y) / row.laneHeight);
  return lane < row.track.lanes ? { row, lane } : null;
}
