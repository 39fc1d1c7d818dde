/** Any result table: sorting, filters, choice and width of columns, keyboard, export, totals; any number of rows. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Column, Table } from "../result";
import { counted } from "../units";
import { copy } from "../widgets/copy";
import { Icon } from "../widgets/Icon";
import { Floating, Menu } from "../widgets/Menu";
import { download, toCsv, toJson } from "./export";
import { Grid } from "./Grid";
import { blankColumns, layoutOf, totalsOf, withFirst } from "./layout";
import { clickSort, type SortKey } from "./order";
import { shownRows } from "./rows";
import { useFilters } from "./useFilters";

interface Props {
  table: Table;
  /** Names exported files. */
  name: string;
  title?: string;
  sort?: SortKey[];
  /** Columns that stand before the others. */
  first?: readonly string[];
  /** Columns besides shares that carry bars. */
  bars?: readonly string[];
  /** Columns that are hidden at first. */
  hidden?: readonly string[];
  /** Columns that have a meaning when added up. */
  totals?: readonly string[];
  /** Columns of names that may be long, besides those whose role says so. */
  names?: readonly string[];
  /** The program that the table is about, where none of its columns tells. */
  module?: string;
  /** A row that is pointed at elsewhere. */
  marked?: number | null;
  /** Called with the row that the mouse or the keys are at, null when they leave. */
  onPoint?: (row: number | null) => void;
  /** Called with the rows that pass the search and the filters, in order. */
  onShown?: (rows: Uint32Array) => void;
}

const NONE: readonly string[] = [];
/** A table of no more rows is searched by eye. */
const FEW = 12;

export function DataTable({
  table: given,
  name,
  title,
  sort = [],
  first = NONE,
  bars = NONE,
  hidden = NONE,
  totals = NONE,
  names: others = NONE,
  module = "",
  marked = null,
  onPoint,
  onShown,
}: Props) {
  const table = useMemo(() => withFirst(given, first), [given, first]);
  const names = useMemo(
    () => [...others, ...table.columns.flatMap(({ name, role }) => (role ? [name] : []))],
    [table, others],
  );
  const [keys, setKeys] = useState(sort);
  const [search, setSearch] = useState("");
  const filters = useFilters(table);
  const [wanted, setFiltering] = useState(false);
  const filtering = wanted || Object.keys(filters.texts).length > 0;
  const [chosen, setChosen] = useState<Record<string, boolean>>({});
  const layout = useMemo(() => layoutOf(table, bars, names), [table, bars, names]);
  const blank = useMemo(() => blankColumns(table), [table]);
  const isAway = useCallback(
    (column: string): boolean => !(chosen[column] ?? !(hidden.includes(column) || blank.includes(column))),
    [chosen, hidden, blank],
  );
  const columns = useMemo(() => layout.filter(({ column }) => !isAway(column.name)), [layout, isAway]);
  const rows = useMemo(
    () => shownRows(table, layout, { keys, search, filters: filters.texts }),
    [table, layout, keys, search, filters.texts],
  );
  useEffect(() => onShown?.(rows), [rows, onShown]);
  const sums = useMemo(() => totalsOf(layout, rows, totals), [layout, rows, totals]);

  const shown = columns.map(({ column }) => column);
  const heading = title ?? table.label;
  return (
    <section class="card table-card" aria-label={heading}>
      <div class="table-bar">
        {heading && <h2>{heading}</h2>}
        <span class="muted number" role="status">
          {rows.length === table.rows
            ? counted(table.rows, "row")
            : `${rows.length.toLocaleString("en-US")} of ${counted(table.rows, "row")}`}
        </span>
        <span class="spacer" />
        {table.rows > FEW && (
          <>
            <label class="table-search">
              <Icon name="search" />
              <span class="hidden-visually">Search {heading}</span>
              <input
                class="field"
                type="search"
                placeholder="Search"
                value={search}
                onInput={(event) => setSearch(event.currentTarget.value)}
              />
            </label>
            <button
              class="button plain icon small"
              aria-label="Filter columns"
              data-tip="Filter columns"
              aria-pressed={filtering}
              onClick={() => {
                setFiltering(!filtering);
                if (filtering) filters.clear();
              }}
            >
              <Icon name="filter" />
            </button>
          </>
        )}
        <ColumnChoice
          columns={table.columns}
          blank={blank}
          isAway={isAway}
          onChange={(column, shown) => setChosen({ ...chosen, [column]: shown })}
        />
        <Menu
          label="Export what is shown"
          icon="download"
          actions={[
            {
              label: "Download CSV",
              onChoose: () => download(`${name}.csv`, toCsv(shown, rows), "text/csv"),
            },
            {
              label: "Download JSON",
              onChoose: () => download(`${name}.json`, toJson(shown, rows), "application/json"),
            },
            { label: "Copy as CSV", onChoose: () => void copy(toCsv(shown, rows), "Table copied") },
          ]}
        />
      </div>
      <Grid
        label={heading || name}
        columns={columns}
        everything={table.columns}
        rows={rows}
        sums={sums}
        keys={keys}
        onSort={(column, add) => setKeys(clickSort(keys, column, add))}
        filters={filtering ? filters.texts : null}
        onFilter={(column, text) => {
          setFiltering(true);
          filters.set(column, text);
        }}
        names={names}
        module={module}
        marked={marked}
        onPoint={onPoint}
      />
    </section>
  );
}

interface ColumnChoiceProps {
  columns: Column[];
  blank: string[];
  isAway: (column: string) => boolean;
  onChange: (column: string, shown: boolean) => void;
}

function ColumnChoice({ columns, blank, isAway, onChange }: ColumnChoiceProps) {
  const last = columns.filter(({ name }) => !isAway(name)).length === 1;
  return (
    <Floating label="Choose columns" icon="columns">
      {() =>
        columns.map((column) => (
          <label class="menu-item check" key={column.name} data-tip={column.description || undefined}>
            <input
              type="checkbox"
              checked={!isAway(column.name)}
              disabled={last && !isAway(column.name)}
              onChange={(event) => onChange(column.name, event.currentTarget.checked)}
            />
            {column.label}
            {blank.includes(column.name) && <span class="muted">not in this profile</span>}
          </label>
        ))
      }
    </Floating>
  );
}
