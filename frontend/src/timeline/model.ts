/** Sections and tracks of a timeline, read from the result of the tool `trace_viewer`. */
import type { Span } from "./state";
import { column, type Result, type Value } from "../result";

export interface Track {
  /** What queries call it. */
  id: number;
  name: string;
  /** Thread or stream number; null for what was not recorded. */
  thread: string | null;
  events: number;
  lanes: number;
  busyShare: number;
  kind: "events" | "counter";
  /** Hardly did anything, compared with the others of its section. */
  idle: boolean;
}

export interface Section {
  id: number;
  name: string;
  kind: string;
  events: number;
  /** None in a section of steps that are still to be found, or that turned out not to be there. */
  tracks: Track[];
}

export interface Model {
  /** End of the last event, picoseconds. */
  end: number;
  events: number;
  /** How many different names they have. */
  names: number;
  sections: Section[];
  /** What to show first; null for the whole profile. */
  opening: Span | null;
  /** Whether there are tracks that take a while to be found, such as steps. */
  later: boolean;
}

export function readModel(result: Result): Model {
  const read = (table: string, name: string): Value[] => column(result.tables[table], name)?.values ?? [];
  const metric = (name: string): number =>
    Number(result.metrics.find((candidate) => candidate.name === name)?.value ?? 0);
  const owner = read("tracks", "section");
  const [names, ids, events, lanes, busy, idle, threads] = [
    "name",
    "track",
    "events",
    "lanes",
    "busy_share",
    "idle",
    "id",
  ].map((name) => read("tracks", name)) as [Value[], Value[], Value[], Value[], Value[], Value[], Value[]];
  const kinds = read("tracks", "kind");
  const sections = read("sections", "section").map((id, row) => ({
    id: Number(id),
    name: String(read("sections", "name")[row]),
    kind: String(read("sections", "kind")[row]),
    events: Number(read("sections", "events")[row]),
    tracks: owner.flatMap((section, i) =>
      section === id
        ? [
            {
              id: Number(ids[i]),
              name: String(names[i]),
              thread: threads[i] == null ? null : String(threads[i]),
              events: Number(events[i]),
              lanes: Number(lanes[i]),
              busyShare: Number(busy[i]),
              kind: kinds[i] === "counter" ? ("counter" as const) : ("events" as const),
              idle: Boolean(idle[i]),
            },
          ]
        : [],
    ),
  }));
  const [start, end] = [metric("opening_start"), metric("opening_end")];
  return {
    end: metric("duration"),
    events: metric("events"),
    names: metric("names"),
    sections,
    opening: end > start ? { start, end } : null,
    later: metric("later") > 0,
  };
}
