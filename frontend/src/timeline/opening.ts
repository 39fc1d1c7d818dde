/** What a timeline asks for first: the whole profile in one coarse tile, the names of events, and what colours them. */
import { namesQuery, tileQuery } from "../data_query";
import { column, type Result } from "../result";
import type { QueryFunction } from "../tools/view";
import type { Facts } from "./shade";
import { decodeTile, type Tile } from "./tiles";

export async function wholeTile(query: QueryFunction, signal: AbortSignal, later: boolean): Promise<Tile> {
  return decodeTile(await query(...tileQuery(later), { signal, binary: true }));
}

/** Names by their numbers, page after page; with `later` without those of tracks that take a while to be found. */
export async function* namesOf(
  query: QueryFunction,
  signal: AbortSignal,
  offset: number,
  later: boolean,
): AsyncGenerator<string[]> {
  for (let total = offset + 1; offset < total;) {
    const page = await query<Result>(...namesQuery(offset, later), { signal });
    const names = (column(page.tables["names"], "name")?.values ?? []).map(String);
    if (names.length === 0) return;
    yield names;
    offset += names.length;
    total = Number(page.metrics[0]?.value ?? 0);
  }
}

export async function factsOf(query: QueryFunction, signal: AbortSignal): Promise<Facts> {
  const { tables } = await query<Result>("colours", {}, { signal });
  const numbers = (table: string, name: string): number[] =>
    (column(tables[table], name)?.values ?? []).map(Number);
  const start = Float64Array.from(numbers("steps", "start_ps"));
  const duration = numbers("steps", "duration_ps");
  return {
    kinds: (column(tables["categories"], "name")?.values ?? []).map(String),
    kindOfName: numbers("names", "category"),
    steps: { start, end: start.map((time, i) => time + (duration[i] as number)) },
  };
}
