/**
 * Memory of a compiled program: over its points, the buffers at its peak by order and by size, and where they lie.
 *
 * What is pointed at in a chart of buffers is described below it, and its lifetime is shaded in the chart of memory.
 */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ChartCard } from "../charts/ChartCard";
import type { Emphasis } from "../charts/emphasis";
import type { Extras } from "../charts/plot";
import { column, type Chart, type Column, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { takeRows } from "../table/rows";
import { format } from "../units";
import { MetricTiles } from "../widgets/Metrics";
import { NamedLinks } from "../widgets/NamedLinks";
import { Picker } from "../widgets/Picker";
import { Empty } from "../widgets/states";
import type { ViewProps } from "./view";

const HEAP: Extras = { facts: ["instruction"] };
/** Where layouts add nothing that could be seen, one line would cover the other. */
const UNPADDED_HEAP: Extras = { ...HEAP, hidden: ["unpadded_bytes"] };
const VISIBLE = 0.001;
const PLACES: Extras = {
  facts: ["bytes", "shape", "last"],
  block: { end: "last", height: "bytes" },
};
const PLACES_CHART: Chart = {
  name: "places",
  kind: "block",
  table: "places",
  x: "first",
  y: ["place"],
  names: "instruction",
  label: "Where temporary buffers lie",
  description: "Each buffer as wide as its lifetime and as high as its size.",
  stack: false,
  log: false,
};
const FACTS = [
  "unpadded_bytes",
  "padding",
  "shape",
  "kind",
  "op",
  "opcode",
  "first",
  "last",
  "allocation",
  "offset",
];
const BARS = ["bytes"];
const TOTALS = ["bytes", "unpadded_bytes"];
/** Chosen above. */
const CHOSEN = new Set(["module", "memory_spaces"]);

export default function MemoryViewer({ result, params, setParams }: ViewProps) {
  const { heap, buffers, places, modules } = result.tables;
  const heapChart = result.charts.find(({ name }) => name === "heap");
  const bySize = useMemo(() => byKind(buffers, "Buffers at the peak, by size"), [buffers]);
  const byOrder = useMemo(() => byKind(inOrder(buffers), "Buffers at the peak, in program order"), [buffers]);
  const [pointed, setPointed] = useState<string | null>(null);
  useEffect(() => setPointed(null), [buffers]);
  const choose = (table: Table, row: number): void =>
    setParams({ buffer: idAt(table, row) }, { replace: true });
  const point = (table: Table, row: number | null): void =>
    setPointed(row === null ? null : idAt(table, row));
  const text = (name: string) => String(result.metrics.find((metric) => metric.name === name)?.value ?? "");
  const number = (name: string) => Number(result.metrics.find((metric) => metric.name === name)?.value);
  const heapExtras = number("padding") < VISIBLE * number("peak") ? UNPADDED_HEAP : HEAP;
  const spaces = text("memory_spaces").split(", ");
  const chosen = pointed ?? params["buffer"] ?? null;
  const shown = useMemo(() => lifeOf([buffers, places], chosen), [buffers, places, chosen]);
  const emphasis = useMemo((): Emphasis => ({ span: shown ? spanOf(shown) : null }), [shown]);
  return (
    <>
      {modules && (
        <div class="view-controls">
          <Picker
            name="Module"
            options={choices(modules)}
            value={params["module"] ?? text("module")}
            onChoose={(module) => setParams({ module, memory_space: null, buffer: null })}
          />
          {spaces.length > 1 && (
            <Picker
              name="Memory space"
              options={spaces.map((value) => ({ value, label: value === "0" ? "0 (main memory)" : value }))}
              value={params["memory_space"] ?? "0"}
              onChoose={(space) => setParams({ memory_space: space, buffer: null })}
            />
          )}
        </div>
      )}
      {!heap && <Empty title="No memory to show for this module" notes={result.notes} />}
      {result.metrics.length > 0 && (
        <MetricTiles metrics={result.metrics.filter(({ name }) => !CHOSEN.has(name))} />
      )}
      {heapChart && (
        <ChartCard
          key={text("module")}
          chart={heapChart}
          table={heap}
          extras={heapExtras}
          emphasis={emphasis}
        />
      )}
      <div class="side-by-side">
        {[byOrder, bySize].map(
          (drawn) =>
            drawn && (
              <ChartCard
                key={drawn.chart.label}
                chart={drawn.chart}
                table={drawn.table}
                extras={drawn.extras}
                onPick={(row) => choose(drawn.table, row)}
                onPoint={(row) => point(drawn.table, row)}
              />
            ),
        )}
      </div>
      {places && places.rows > 1 && (
        <ChartCard
          key={text("module")}
          chart={PLACES_CHART}
          table={places}
          extras={PLACES}
          onPick={(row) => choose(places, row)}
          onPoint={(row) => point(places, row)}
        />
      )}
      {shown && <Details {...shown} points={lastPoint(heap)} module={text("module")} />}
      {buffers && buffers.rows > 0 && (
        <DataTable
          table={buffers}
          name="buffers"
          module={text("module")}
          bars={BARS}
          totals={TOTALS}
          title={buffers.label}
        />
      )}
    </>
  );
}

function choices(modules: Table) {
  const sizes = column(modules, "bytes")?.values;
  return (column(modules, "module")?.values ?? []).map((name, row) => ({
    value: String(name),
    label: String(name),
    detail: sizes?.[row] == null ? "No buffer assignment was recorded." : format(sizes[row] ?? null, "bytes"),
  }));
}

interface Drawn {
  chart: Chart;
  table: Table;
  extras: Extras;
}

/** Sizes as one series for each kind of allocation, so that the legend tells kinds apart. */
function byKind(buffers: Table | undefined, label: string): Drawn | null {
  const sizes = column(buffers, "bytes");
  const kinds = column(buffers, "kind")?.values;
  if (!buffers || !sizes || !kinds || buffers.rows === 0) return null;
  const distinct = [...new Set(kinds.map(String))].sort();
  const series = distinct.map((kind): Column => ({
    ...sizes,
    name: kind.toLowerCase(),
    label: kind,
    values: sizes.values.map((size, row) => (kinds[row] === kind ? size : null)),
  }));
  return {
    table: { ...buffers, label, columns: [...buffers.columns, ...series] },
    chart: {
      name: label.toLowerCase().replaceAll(/\W+/g, "_"),
      kind: "bar",
      table: "buffers",
      x: "instruction",
      y: series.map(({ name }) => name),
      label,
      description: "",
      stack: true,
      log: false,
    },
    extras: { facts: FACTS, exclusive: true },
  };
}

/** The buffers by the point at which they are allocated. */
function inOrder(buffers: Table | undefined): Table | undefined {
  const first = column(buffers, "first")?.values;
  if (!buffers || !first) return undefined;
  const rows = first.map((_, row) => row);
  rows.sort((one, other) => Number(first[one] ?? Infinity) - Number(first[other] ?? Infinity));
  return takeRows(buffers, rows);
}

/** A buffer, as a row of the first table that holds it. */
interface Life {
  table: Table;
  row: number;
}

function lifeOf(tables: (Table | undefined)[], id: string | null): Life | null {
  for (const table of tables) {
    const row =
      column(table, "buffer")?.values.findIndex((value) => value !== null && String(value) === id) ?? -1;
    if (table && row >= 0) return { table, row };
  }
  return null;
}

function idAt(table: Table, row: number): string | null {
  const id = column(table, "buffer")?.values[row];
  return id == null ? null : String(id);
}

function spanOf({ table, row }: Life): NonNullable<Emphasis["span"]> {
  const number = (name: string) => Number(column(table, name)?.values[row]);
  return { first: number("first"), last: number("last"), height: number("bytes") };
}

function lastPoint(heap: Table | undefined): number {
  return Math.max(1, (heap?.rows ?? 1) - 1);
}

interface DetailsProps extends Life {
  points: number;
  module: string;
}

/** Everything that is known of one buffer, and when it is live. */
function Details({ table, row, points, module }: DetailsProps) {
  const value = (name: string) => column(table, name)?.values[row] ?? null;
  const [first, last] = [Number(value("first")), Number(value("last"))];
  return (
    <section class="card many" aria-label="Chosen buffer">
      <h2>{String(value("instruction"))}</h2>
      <div class="lifetime" role="img" aria-label={`Live from point ${first} to ${last} of ${points}`}>
        <span style={{ left: `${(100 * first) / points}%`, right: `${100 - (100 * last) / points}%` }} />
      </div>
      <p class="view-controls">
        <NamedLinks named={{ role: "hlo_op", name: String(value("instruction")), module }} />
      </p>
      <dl class="metrics">
        {table.columns
          .filter(({ name, values }) => name !== "instruction" && values[row] != null)
          .map(({ name, label, description, unit, values }) => (
            <div key={name} data-tip={description || undefined}>
              <dt>{label}</dt>
              <dd class="number">{format(values[row] ?? null, unit)}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
