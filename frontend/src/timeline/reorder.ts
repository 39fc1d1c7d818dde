/** Moving a track among its neighbours: the pinned ones, or those of its section. */
import type { Choices, Layout, TrackRow } from "./layout";

/** The rows that `row` can change places with, and itself, from top to bottom. */
export function neighbours({ rows }: Layout, row: TrackRow): TrackRow[] {
  return rows.filter(
    (each): each is TrackRow =>
      each.kind === "track" &&
      each.pinned === row.pinned &&
      (row.pinned || (each.section === row.section && each.track.idle === row.track.idle)),
  );
}

/** The place among its neighbours of a row whose middle is dragged to a height. */
export function placeAt(layout: Layout, row: TrackRow, y: number): number {
  return neighbours(layout, row).filter((each) => each !== row && each.y + each.height / 2 < y).length;
}

/** What has to be chosen so that the row stands at a place among its neighbours; null where it is there, or there is none. */
export function moved(
  choices: Choices,
  layout: Layout,
  row: TrackRow,
  place: number,
): Partial<Choices> | null {
  const ids = neighbours(layout, row).map((each) => each.track.id);
  const { id } = row.track;
  if (place < 0 || place >= ids.length || ids[place] === id) return null;
  const rest = ids.filter((each) => each !== id);
  const next = [...rest.slice(0, place), id, ...rest.slice(place)];
  if (row.pinned) return { pinned: next };
  return { order: [...choices.order.filter((each) => !next.includes(each)), ...next] };
}
