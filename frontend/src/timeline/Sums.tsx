/** What events add up to, by name, or by name and track. */
import { useMemo } from "preact/hooks";
import { column, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import type { Engine } from "./engine";

const BARS = ["total_ps"];
const TOTALS = ["count", "total_ps", "self_ps"];
const NAMES = ["name", "track"];

export function Sums({
  table,
  engine,
  name,
  title,
}: {
  table: Table;
  engine: Engine;
  /** Of exported files. */
  name: string;
  title: string;
}) {
  const { model } = engine;
  const shown = useMemo(() => named(table, model), [table, model]);
  return <DataTable table={shown} name={name} title={title} bars={BARS} totals={TOTALS} names={NAMES} />;
}

/** The table with names of tracks in place of their numbers. */
function named(table: Table, { sections }: Engine["model"]): Table {
  const columns = table.columns.filter(({ name }) => name !== "name_id");
  const track = column(table, "track");
  if (!track) return { ...table, columns };
  const names = new Map(sections.flatMap(({ tracks }) => tracks.map(({ id, name }) => [id, name])));
  const values = track.values.map((id) => names.get(Number(id)) ?? null);
  const told = { ...track, type: "string" as const, description: "", values };
  return { ...table, columns: columns.map((each) => (each === track ? told : each)) };
}
