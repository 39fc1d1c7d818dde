/** What a timeline asks for first: the whole profile in one coarse tile, and the names of events. */
import { column, type Result } from "../result";
import type { QueryFunction } from "../tools/view";
import type { Model } from "./model";
import { decodeTile, type Tile } from "./tiles";

const COLUMNS = 2000;
/** Tracks in the coarse tile; those that are not idle first. */
const TRACKS = 400;

export async function wholeTile(model: Model, query: QueryFunction, signal: AbortSignal): Promise<Tile> {
  const tracks = model.sections.flatMap((section) => section.tracks);
  tracks.sort((a, b) => Number(a.idle) - Number(b.idle));
  const numbers = tracks.slice(0, TRACKS).map((track) => track.id);
  const params = { end_ps: Math.max(model.end, 1), pixels: COLUMNS, tracks: numbers.join(",") };
  return decodeTile(await query("window", params, { signal, binary: true }));
}

/** All names by their numbers, page after page. */
export async function* namesOf(query: QueryFunction, signal: AbortSignal): AsyncGenerator<string[]> {
  let offset = 0;
  for (let total = 1; offset < total;) {
    const page = await query<Result>("names", { offset }, { signal });
    const names = (column(page.tables["names"], "name")?.values ?? []).map(String);
    if (names.length === 0) return;
    yield names;
    offset += names.length;
    total = Number(page.metrics[0]?.value ?? 0);
  }
}
