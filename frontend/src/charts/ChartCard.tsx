/** A chart with all that belongs to it: title, legend that switches series, export, and a table for who cannot see it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { column, type Chart as Description, type Table } from "../result";
import { DataTable } from "../table/DataTable";
import { download, toCsv } from "../table/export";
import { format, formatIn } from "../units";
import { Icon } from "../widgets/Icon";
import { Menu } from "../widgets/Menu";
import { MiddleText } from "../widgets/MiddleText";
import { toast } from "../widgets/toast";
import { variableOf } from "./palette";
import type * as Library from "./Chart";
import type { Emphasis } from "./emphasis";
import { hoverLines } from "./options";
import { plotOf, type Extras, type Plot } from "./plot";

type ChartLibrary = typeof Library;

interface Props {
  chart: Description;
  table: Table | undefined;
  /** The table that the chart names for its lines. */
  lines?: Table | undefined;
  /** Called with the row of a clicked category. */
  onPick?: (row: number) => void;
  /** Called with the row that the mouse or the keys are at, null when they leave. */
  onPoint?: (row: number | null) => void;
  emphasis?: Emphasis;
  extras?: Extras;
}

const NO_EXTRAS: Extras = {};

export function ChartCard({ chart, table, lines, onPick, onPoint, emphasis, extras = NO_EXTRAS }: Props) {
  const plot = useMemo(() => plotOf(chart, table, lines, extras), [chart, table, lines, extras]);
  const library = useLibrary();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(extras.hidden));
  const [asTable, setAsTable] = useState(false);
  const [zoomed, setZoomed] = useState(false);
  const [resets, setResets] = useState(0);
  const keys = useRowKeys(plot, onPoint, onPick);

  const drawn = useMemo(() => drawnPart(chart, table, extras), [chart, table, extras]);
  if (!plot || !drawn) return <NoPlot chart={chart} table={table} />;
  const save = (kind: "png" | "svg"): void => {
    library?.pictureOf(plot, hidden, kind).then(
      (blob) => download(`${chart.name}.${kind}`, blob),
      (error: Error) => toast(error.message),
    );
  };
  return (
    <figure class="card chart-card" aria-label={plot.title}>
      <div class="chart-bar">
        <h2>{plot.title}</h2>
        {zoomed && !asTable && (
          <button class="button plain small" onClick={() => setResets(resets + 1)}>
            <Icon name="reset" /> Show all
          </button>
        )}
        <span class="spacer" />
        <button
          class="button plain icon small"
          aria-label={`Show ${plot.title} as a table`}
          data-tip="Show as a table"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          <Icon name="table" />
        </button>
        <Menu
          label={`Export ${plot.title}`}
          icon="download"
          actions={[
            { label: "Download PNG", onChoose: () => save("png") },
            { label: "Download SVG", onChoose: () => save("svg") },
            {
              label: "Download CSV",
              onChoose: () =>
                download(`${chart.name}.csv`, toCsv(drawn.columns, everyRow(drawn)), "text/csv"),
            },
          ]}
        />
      </div>
      {chart.description && <p class="muted">{chart.description}</p>}
      {asTable ? (
        <DataTable table={drawn} name={chart.name} title="" />
      ) : (
        <div class={`${plot.kind === "pie" ? "chart-pie" : "chart-body"} ${onPick ? "chart-pick" : ""}`}>
          {library ? (
            <div class="chart-keys" {...(onPoint ? keys.attributes(hidden) : {})}>
              <library.Chart
                plot={plot}
                hidden={hidden}
                onZoom={setZoomed}
                resets={resets}
                onPick={onPick}
                onPoint={onPoint}
                at={keys.at}
                emphasis={emphasis}
              />
            </div>
          ) : (
            <div class="chart-canvas muted">Drawing…</div>
          )}
          {(plot.series.length > 1 || plot.kind === "pie") && (
            <Legend plot={plot} hidden={hidden} onChange={setHidden} />
          )}
        </div>
      )}
    </figure>
  );
}

function useLibrary(): ChartLibrary | null {
  const [library, setLibrary] = useState<ChartLibrary | null>(null);
  useEffect(() => {
    void import("./Chart").then(setLibrary, () => toast("The charts could not be loaded. Reload the page."));
  }, []);
  return library;
}

/** Arrow keys go from row to row of a chart that tells what is pointed at, Enter picks. */
function useRowKeys(plot: Plot | null, onPoint: Props["onPoint"], onPick: Props["onPick"]) {
  const [at, setAt] = useState<number | null>(null);
  const last = (plot?.x.texts.length ?? 1) - 1;
  const go = (row: number | null): void => {
    setAt(row);
    onPoint?.(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [from, to] = [at ?? -1, at ?? last + 1];
    const wanted = {
      ArrowRight: from + 1,
      ArrowDown: from + 1,
      ArrowLeft: to - 1,
      ArrowUp: to - 1,
      Home: 0,
      End: last,
    };
    const row = wanted[event.key as keyof typeof wanted];
    if (row !== undefined) go(Math.min(Math.max(row, 0), last));
    else if (event.key === "Enter" && at !== null) onPick?.(at);
    else if (event.key === "Escape" && at !== null) go(null);
    else return;
    event.preventDefault();
  };
  const attributes = (hidden: ReadonlySet<string>) => ({
    role: "slider" as const,
    tabIndex: 0,
    "aria-label": `${plot?.title}: arrow keys go through it`,
    "aria-valuemin": 1,
    "aria-valuemax": last + 1,
    "aria-valuenow": (at ?? 0) + 1,
    "aria-valuetext": plot && at !== null ? spoken(plot, hidden, at) : "nothing chosen",
    onKeyDown,
    onBlur: () => go(null),
  });
  return { at: at !== null && at <= last ? at : null, attributes };
}

function spoken(plot: Plot, hidden: ReadonlySet<string>, row: number): string {
  const { title, lines } = hoverLines(plot, hidden, row);
  return [title, ...lines.map(({ label, text }) => `${label} ${text}`)].join(", ");
}

interface LegendProps {
  plot: Plot;
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

/** A click switches one series, a click with Alt leaves it alone or brings all back. */
function Legend({ plot, hidden, onChange }: LegendProps) {
  const pie = plot.kind === "pie";
  const total = plot.series.reduce(
    (sum, series) => sum + (hidden.has(series.name) ? 0 : (series.values[0] ?? 0)),
    0,
  );
  const choose = (name: string, alone: boolean): void => {
    if (alone) {
      const others = plot.series.map((series) => series.name).filter((other) => other !== name);
      onChange(new Set(others.every((other) => hidden.has(other)) ? [] : others));
      return;
    }
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    if (next.size < plot.series.length) onChange(next);
  };
  return (
    <ul class="legend" aria-label={`Legend of ${plot.title}`}>
      {plot.series.map((series) => {
        const value = series.values[0] ?? null;
        const share = pie && !hidden.has(series.name) && value !== null && total > 0 ? value / total : null;
        const tip = pie
          ? `${series.label}\n${format(value, plot.y.unit)}`
          : "Click: show or hide\nAlt + click: only this";
        return (
          <li key={series.name}>
            <button
              aria-pressed={!hidden.has(series.name)}
              data-tip={tip}
              onClick={(event) => choose(series.name, event.altKey)}
            >
              <span class="swatch" style={{ background: variableOf(series.colour) }} />
              <span class="legend-label">
                <MiddleText text={series.label} />
              </span>
              {share !== null && (
                <span class="number">{formatIn(share, { factor: 0.01, label: "%" })} %</span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function NoPlot({ chart, table }: { chart: Description; table: Table | undefined }) {
  const missing = chart.y.map((name) => column(table, name)?.label).filter((label) => label !== undefined);
  return (
    <figure class="card chart-card">
      <h2>{chart.label || chart.name}</h2>
      <p class="muted">
        {table?.rows && missing.length > 0
          ? `Nothing to draw: nothing here has a known ${missing.join(" or ")}${chart.log ? " above zero" : ""}.`
          : "There is no data for this chart in the profile."}
      </p>
    </figure>
  );
}

function everyRow(table: Table): number[] {
  return Array.from({ length: table.rows }, (_, row) => row);
}

/** The columns of the table that the chart shows. */
function drawnPart(chart: Description, table: Table | undefined, extras: Extras): Table | null {
  if (!table) return null;
  const columns = [chart.names ?? "", chart.x, ...chart.y, extras.right ?? "", ...(extras.facts ?? [])]
    .map((name) => column(table, name))
    .filter((found) => found !== undefined);
  return { ...table, columns };
}
