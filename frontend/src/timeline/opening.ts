/** What a timeline asks for first: the whole profile in one coarse tile, the names of events, and what colours them. */
import { column, type Result } from "../result";
import type { QueryFunction, SendQuery } from "../tools/view";
import { readModel, type Model } from "./model";
import type { Facts } from "./shade";
import { decodeTile, type Tile } from "./tiles";

const COLUMNS = 2000;
/** Tracks in the coarse tile; those that are not idle first. */
const TRACKS = 400;

type Query = Parameters<SendQuery>;

/** Sends the first queries while the page is still being drawn. */
export function prepare(result: Result, send: SendQuery): void {
  const model = readModel(result);
  send(...windowQuery(model));
  send(...namesQuery(0, model.later));
}

function windowQuery(model: Model): Query {
  const tracks = model.sections.flatMap((section) => section.tracks);
  tracks.sort((a, b) => Number(a.idle) - Number(b.idle));
  const numbers = tracks.slice(0, TRACKS).map((track) => track.id);
  return ["window", { end_ps: Math.max(model.end, 1), pixels: COLUMNS, tracks: numbers.join(",") }];
}

function namesQuery(offset: number, later: boolean): Query {
  return ["names", { offset, ...(later ? { later: "true" } : {}) }];
}

export async function wholeTile(model: Model, query: QueryFunction, signal: AbortSignal): Promise<Tile> {
  return decodeTile(await query(...windowQuery(model), { signal, binary: true }));
}

/** Names by their numbers, page after page; with `later` only those that do not take a while to be found. */
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
