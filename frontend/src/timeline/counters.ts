/** Values of the counters on screen: fetched for the window and half of it around, once the view is at rest. */
import { isAbort } from "../api";
import { column, type Result, type Value } from "../result";
import type { QueryFunction } from "../tools/view";
import { endOf, type View } from "./viewport";

/** One line of a counter. Row i holds from column[i] to column[i + 1]; null is a value that was recorded as no number. */
export interface Series {
  track: number;
  name: string;
  /** Over the whole profile; null where there is no number at all. */
  low: number | null;
  high: number | null;
  columns: number[];
  lowest: (number | null)[];
  highest: (number | null)[];
  last: (number | null)[];
}

export interface Sampled {
  start: number;
  /** Picoseconds in a column. */
  bin: number;
  end: number;
  series: Series[];
}

/** Columns more than so many times as wide as a pixel are fetched again. */
const COARSE = 2;

export class CounterStore {
  shown: Sampled | null = null;
  private tracks: ReadonlySet<number> = new Set();
  private running: AbortController | null = null;

  constructor(
    private readonly query: QueryFunction,
    private readonly onChange: () => void,
    /** Told of each answer: what went wrong, null where nothing did. */
    private readonly onAnswer: (error: unknown) => void,
  ) {}

  dispose(): void {
    this.running?.abort();
  }

  /** Fetches values for some tracks unless those that are shown do. `end` is that of the profile. */
  async want(view: View, ratio: number, tracks: readonly number[], end: number): Promise<void> {
    const { shown } = this;
    const [from, to] = [Math.max(view.start, 0), Math.min(endOf(view), end)];
    const known = shown && shown.start <= from && shown.end >= to;
    const fine = shown && shown.bin <= (COARSE * view.scale) / ratio;
    if (to <= from || tracks.every((track) => this.tracks.has(track) && known && fine)) return;
    const start_ps = Math.max(Math.floor(from - (to - from) / 2), 0);
    const end_ps = Math.ceil(to + (to - from) / 2);
    const pixels = Math.min(Math.ceil(((end_ps - start_ps) / view.scale) * ratio), 8192);
    this.running?.abort();
    const running = (this.running = new AbortController());
    try {
      const params = { start_ps, end_ps, pixels: Math.max(pixels, 1), tracks: tracks.join(",") };
      const answer = await this.query<Result>("counters", params, { signal: running.signal });
      this.shown = read(answer, start_ps, end_ps);
      this.tracks = new Set(tracks);
      this.onAnswer(null);
      this.onChange();
    } catch (error) {
      if (!isAbort(error)) this.onAnswer(error);
    }
  }

  /** Names and values of a counter's series at a moment; null where no number was recorded, or nothing yet. */
  valuesAt(track: number, time: number): { name: string; value: number | null }[] {
    if (!this.shown) return [];
    const { start, bin, series } = this.shown;
    return series
      .filter((each) => each.track === track)
      .map((each) => {
        const at = each.columns.findLastIndex((place) => start + place * bin <= time);
        return { name: each.name, value: each.last[at] ?? null };
      });
  }
}

function read(answer: Result, start: number, end: number): Sampled {
  const values = (table: string, name: string): Value[] => column(answer.tables[table], name)?.values ?? [];
  const numbers = (table: string, name: string): (number | null)[] =>
    values(table, name).map((value) => (typeof value === "number" ? value : null));
  const [places, lowest, highest, last] = ["column", "low", "high", "last"].map((name) =>
    numbers("values", name),
  ) as [(number | null)[], (number | null)[], (number | null)[], (number | null)[]];
  const bin = Number(answer.metrics.find(({ name }) => name === "bin")?.value ?? 1);
  const [low, high] = [numbers("series", "low"), numbers("series", "high")];
  let from = 0;
  const series = values("series", "values").map((count, i): Series => {
    const rows: [number, number] = [from, (from += Number(count))];
    return {
      track: Number(values("series", "track")[i]),
      name: String(values("series", "name")[i]),
      low: low[i] ?? null,
      high: high[i] ?? null,
      columns: places.slice(...rows).map(Number),
      lowest: lowest.slice(...rows),
      highest: highest.slice(...rows),
      last: last.slice(...rows),
    };
  });
  return { start, bin, end, series };
}
