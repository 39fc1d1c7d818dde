/** Events as tables of the server list them. */
import { column, type Table, type Value } from "../result";
import type { Selected } from "./state";

interface Choice {
  /** Of links: the kinds that are wanted. */
  wanted?: (kind: string) => boolean;
  /** What the names of the columns begin with. */
  prefix?: string;
}

export function eventsOf(
  table: Table | undefined,
  { wanted = () => true, prefix = "" }: Choice = {},
): Selected[] {
  const read = (name: string): Value[] => column(table, prefix + name)?.values ?? [];
  const [kinds, names, tracks, lanes, starts, durations] = [
    "kind",
    "name",
    "track",
    "lane",
    "start_ps",
    "duration_ps",
  ].map(read) as [Value[], Value[], Value[], Value[], Value[], Value[]];
  return read("event").flatMap((id, row) => {
    if (!wanted(String(kinds[row] ?? ""))) return [];
    const start = Number(starts[row]);
    return [
      {
        id: Number(id),
        name: String(names[row]),
        track: Number(tracks[row]),
        lane: Number(lanes[row]),
        start,
        end: start + Number(durations[row]),
      },
    ];
  });
}
