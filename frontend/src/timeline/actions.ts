/** Questions to the server about events: details, search, sums of an area. Answers land in signals. */
import { effect, signal } from "@preact/signals";
import { ApiError, isAbort } from "../api";
import { column, type Result, type Table, type Value } from "../result";
import type { QueryFunction } from "../tools/view";
import type { Engine } from "./engine";
import { eventsOf } from "./events";
import { NO_EVENT } from "./hit";
import { bringIntoView } from "./reveal";
import type { Area, Hover, Selected } from "./state";

/** How a text is looked for. */
export interface How {
  regex: boolean;
  /** Look into the stats of events too, and at the op that they were compiled from. */
  stats: boolean;
}

export interface Search extends How {
  text: string;
  total: number;
  /** Number of the hit that is selected, -1 before the first jump. */
  current: number;
  /** Number of the first hit in or after the view. */
  position: number;
}

const AREA_DELAY_MS = 200;

function asTexts({ regex, stats }: How): Record<string, string> {
  return { regex: String(regex), stats: String(stats) };
}

export class Actions {
  readonly details = signal<Result | null>(null);
  /** Of the area; with `byTrack` by name and track instead of by name alone. */
  readonly sums = signal<Table | null>(null);
  readonly byTrack = signal(false);
  /** All events of one name, by track. */
  readonly namesakes = signal<{ nameId: number; sums: Table } | null>(null);
  readonly search = signal<Search | null>(null);
  readonly failure = signal<ApiError | null>(null);
  readonly busy = signal(false);
  private opening: Promise<void> = Promise.resolve();
  private readonly running = new Map<string, AbortController>();
  private readonly stop: () => void;
  private waiting = 0;

  constructor(
    private readonly engine: Engine,
    private readonly query: QueryFunction,
  ) {
    this.stop = effect(() => {
      const area = engine.area.value;
      const byTrack = this.byTrack.value;
      clearTimeout(this.waiting);
      if (!area) this.sums.value = null;
      else this.waiting = window.setTimeout(() => void this.sumUp(area, byTrack), AREA_DELAY_MS);
    });
  }

  dispose(): void {
    this.stop();
    clearTimeout(this.waiting);
    for (const controller of this.running.values()) controller.abort();
  }

  /** Selects what was clicked, or nothing. */
  select(found: Hover | null): void {
    if (!found || found.hit.id === NO_EVENT) {
      this.clear();
      return;
    }
    const { hit, row, lane } = found;
    const name = this.engine.names.value[hit.name] ?? "";
    this.choose({ id: hit.id, name, track: row.track.id, lane, start: hit.start, end: hit.end }, false);
  }

  clear(): void {
    this.forget("event", "hit");
    this.engine.selected.value = null;
    this.engine.links.value = [];
    this.details.value = null;
  }

  /** Selects an event whose place is known, and shows it where `reveal`. */
  choose(event: Selected, reveal = true): void {
    this.engine.selected.value = event;
    this.engine.links.value = [];
    if (reveal) bringIntoView(this.engine, event);
    this.opening = this.open(event.id);
  }

  /** Selects an event of which only the number is known. */
  async open(id: number): Promise<void> {
    const details = await this.ask("event", { id });
    if (!details) return;
    this.details.value = details;
    const linked = (kind: string): Selected[] =>
      eventsOf(details.tables["links"], { wanted: (own) => own === kind });
    this.engine.links.value = [
      ...linked("flow in").map((event) => ({ event, cause: true })),
      ...linked("flow out").map((event) => ({ event, cause: false })),
    ];
    const read = (name: string): Value =>
      details.metrics.find((metric) => metric.name === name)?.value ?? null;
    const start = Number(read("start"));
    const event: Selected = {
      id,
      name: String(read("name")),
      track: Number(read("track_id")),
      lane: Number(read("lane")),
      start,
      end: start + Number(read("duration")),
    };
    this.engine.selected.value = event;
  }

  /** Goes from the selected event to one that it is linked to, as soon as its links are known. */
  async follow(link: string): Promise<void> {
    await this.opening;
    const details = this.details.value;
    if (!details) return;
    const [target] =
      link === "parent"
        ? eventsOf(details.tables["parents"])
        : eventsOf(details.tables["links"], { wanted: (kind) => kind === link });
    if (target) this.choose(target);
    this.engine.said.value = target ? "" : `No ${link}`;
  }

  async find(text: string, how: How): Promise<void> {
    const { engine } = this;
    if (!text) {
      this.forget("search", "hit");
      this.search.value = null;
      engine.sought.value = null;
      engine.density.value = [];
      return;
    }
    const from = Math.max(0, Math.round(engine.view.value.start));
    const found = await this.ask("search", { text, ...asTexts(how), limit: 0, from_ps: from });
    if (!found) return;
    const metric = (name: string): number =>
      Number(found.metrics.find((candidate) => candidate.name === name)?.value ?? 0);
    this.search.value = { text, ...how, total: metric("total"), position: metric("position"), current: -1 };
    engine.sought.value = new Set(column(found.tables["names"], "name")?.values.map(Number));
    engine.density.value = (column(found.tables["density"], "count")?.values ?? []).map(Number);
  }

  /** Selects the next or previous hit, at first the one nearest to the view; after the last comes the first. */
  async nextHit(direction: 1 | -1): Promise<void> {
    const search = this.search.value;
    if (!search || search.total === 0) return;
    const before = search.current < 0 ? search.position - (direction > 0 ? 1 : 0) : search.current;
    const current = (before + direction + search.total) % search.total;
    this.search.value = { ...search, current };
    const page = { text: search.text, ...asTexts(search), limit: 1, offset: current };
    const found = await this.ask("search", page, "hit");
    const [event] = eventsOf(found?.tables["hits"]);
    if (event) this.choose(event);
  }

  async addUp(nameId: number): Promise<void> {
    const found = await this.ask("stats", { name_id: nameId, by_track: "true" }, "namesakes");
    const sums = found?.tables["stats"];
    if (sums) this.namesakes.value = { nameId, sums };
  }

  private async sumUp(area: Area, byTrack: boolean): Promise<void> {
    if (area.end <= area.start || area.tracks.length === 0) {
      this.sums.value = null;
      return;
    }
    const params = {
      start_ps: area.start,
      end_ps: area.end,
      tracks: area.tracks.join(","),
      by_track: String(byTrack),
    };
    const found = await this.ask("stats", params);
    if (found) this.sums.value = found.tables["stats"] ?? null;
  }

  /** What is no longer wanted must not come back when it is answered, nor what went wrong with it stay. */
  private forget(...kinds: string[]): void {
    for (const kind of kinds) this.running.get(kind)?.abort();
    this.failure.value = null;
  }

  /** The answer; null where it failed, which `failure` then says, or where a newer question of its kind replaced it. */
  private async ask(
    name: string,
    params: Record<string, string | number>,
    kind = name,
  ): Promise<Result | null> {
    this.running.get(kind)?.abort();
    const controller = new AbortController();
    this.running.set(kind, controller);
    this.busy.value = true;
    try {
      const answer = await this.query<Result>(name, params, { signal: controller.signal });
      this.failure.value = null;
      return answer;
    } catch (error) {
      if (!isAbort(error))
        this.failure.value = error instanceof ApiError ? error : new ApiError(String(error), "", 0);
      return null;
    } finally {
      if (this.running.get(kind) === controller) this.running.delete(kind);
      this.busy.value = this.running.size > 0;
    }
  }
}
