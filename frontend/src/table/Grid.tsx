/**
 * The grid of a table: headers, the rows near the visible part, totals.
 *
 * The focus stays on the grid; arrow keys move an active cell, up to the header.
 */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Column } from "../result";
import { copy } from "../widgets/copy";
import { showTip } from "../widgets/tip_state";
import { CellMenu, type Spot } from "./CellMenu";
import { HeaderCell, TotalCell } from "./cells";
import { cellId, cellOf, GridRow } from "./GridRow";
import { NUMBER_HELP, TEXT_HELP } from "./filter";
import { moveBy, within, type Cell } from "./keys";
import { cellTip, type ShownColumn } from "./layout";
import { scrollToRow, useRem, useVisibleRows, useWidths } from "./measure";
import type { SortKey } from "./order";

export interface GridProps {
  label: string;
  columns: ShownColumn[];
  /** All columns of the table, also those that are put away. */
  everything: readonly Column[];
  rows: Uint32Array;
  sums: Map<string, number>;
  keys: SortKey[];
  onSort: (column: Column, add: boolean) => void;
  /** Texts of the filters by column; null while filters are put away. */
  filters: Record<string, string> | null;
  onFilter: (column: string, text: string) => void;
  names: readonly string[];
  /** The program that the table is about. */
  module: string;
  /** A row that is pointed at elsewhere. */
  marked: number | null;
  onPoint: ((row: number | null) => void) | undefined;
}

const ROW_REM = 1.75;
const RESIZE_STEP = 16;

export function Grid({
  label,
  columns,
  everything,
  rows,
  sums,
  keys,
  onSort,
  filters,
  onFilter,
  names,
  module,
  marked,
  onPoint,
}: GridProps) {
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const rem = useRem();
  const rowHeight = ROW_REM * rem;
  const [near, scrolled] = useVisibleRows(grid, rowHeight, rows.length);
  const main = mainOf(columns, names);
  const widths = useWidths(columns, main, rem);
  const [menu, setMenu] = useState<Spot | null>(null);
  const [wanted, setWanted] = useState<Cell>({ row: 0, column: 0 });
  const [byKey, setByKey] = useState(0);

  const page = Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / rowHeight) - 3);
  const extent = { rows: rows.length, columns: columns.length, page };
  const cell = within(wanted, extent);
  const idOf = ({ row, column }: Cell): string => (row < 0 ? `${id}-h${column}` : cellId(id, row, column));
  const activeId = idOf(cell);

  /** Gives a cell its tip when it is wanted, which saves formatting every number twice. */
  const explain = useRef<(element: Element | null, place: number, column: number) => void>(() => undefined);
  explain.current = (element, place, column) => {
    const shown = columns[column];
    const row = rows[place];
    if (element && shown && row !== undefined) element.setAttribute("data-tip", cellTip(shown, row));
  };

  useEffect(() => {
    if (byKey === 0) return;
    const element = document.getElementById(activeId);
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    explain.current(element, cell.row, cell.column);
    showTip(element);
  }, [byKey, activeId, cell.row, cell.column]);

  useEffect(() => {
    const place = marked === null ? -1 : rows.indexOf(marked);
    if (grid.current && place >= 0) scrollToRow(grid.current, place, rowHeight);
  }, [marked, rows, rowHeight]);

  const openMenu = (target: Cell): void => {
    const box = document.getElementById(idOf(target))?.getBoundingClientRect();
    const shown = columns[target.column];
    const row = rows[target.row];
    if (box && shown && row !== undefined) setMenu({ box, shown, row });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const shown = columns[cell.column];
    if (event.target !== event.currentTarget || !shown) return;
    const command = event.ctrlKey || event.metaKey;
    const target = moveBy(event.key, command, cell, extent);
    if (cell.row < 0 && event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      const step = event.key === "ArrowRight" ? RESIZE_STEP : -RESIZE_STEP;
      widths.resize(shown.column.name, widths.of(shown) + step);
    } else if (target) {
      setWanted(target);
      setByKey(byKey + 1);
      if (grid.current && target.row >= 0) scrollToRow(grid.current, target.row, rowHeight);
      onPoint?.(rows[target.row] ?? null);
    } else if (event.key === "Enter") {
      if (cell.row < 0) onSort(shown.column, event.shiftKey);
      else openMenu(cell);
    } else if (event.key === "c" && command && cell.row >= 0 && !window.getSelection()?.toString()) {
      void copy(String(shown.column.values[rows[cell.row] as number] ?? ""), "Cell copied");
    } else {
      return;
    }
    event.preventDefault();
  };

  const onClick = (event: MouseEvent): void => {
    const clicked = cellOf(event);
    if (!clicked) return;
    const target = { row: clicked.place, column: clicked.column };
    setWanted(target);
    if (names.includes(columns[target.column]?.column.name ?? "")) openMenu(target);
  };

  const visible = Array.from(rows.subarray(near.first, near.end), (row, index) => ({
    row,
    place: near.first + index,
  }));
  const hasTotals = rows.length > 0 && columns.some(({ column }) => sums.has(column.name));
  const style = { gridTemplateColumns: widths.template };
  const named = columns[main];
  return (
    <>
      <div
        ref={grid}
        class="grid"
        role="grid"
        style={{ scrollPaddingLeft: named && `${widths.of(named)}px` }}
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1 + Number(hasTotals)}
        aria-colcount={columns.length}
        aria-activedescendant={activeId}
        onKeyDown={onKeyDown}
        onScroll={scrolled}
        onClick={onClick}
        onPointerOver={(event) => {
          const over = cellOf(event);
          if (over) explain.current(over.element, over.place, over.column);
          onPoint?.(over ? (rows[over.place] ?? null) : null);
        }}
        onPointerLeave={() => onPoint?.(null)}
        onBlur={() => onPoint?.(null)}
      >
        <div role="rowgroup" class="grid-head" style={{ minWidth: `${widths.total}px` }}>
          <div role="row" class="grid-row" aria-rowindex={1} style={style}>
            {columns.map((shown, index) => (
              <HeaderCell
                key={shown.column.name}
                id={idOf({ row: -1, column: index })}
                shown={shown}
                keys={keys}
                active={cell.row < 0 && cell.column === index}
                main={index === main}
                width={widths.of(shown)}
                onSort={onSort}
                onResize={(width) => widths.resize(shown.column.name, width)}
              />
            ))}
          </div>
          {filters && (
            <FilterRow columns={columns} main={main} filters={filters} onFilter={onFilter} style={style} />
          )}
        </div>
        {rows.length > 0 && (
          <div
            role="rowgroup"
            class="grid-body"
            style={{ minWidth: `${widths.total}px`, height: `${rows.length * rowHeight}px` }}
          >
            {visible.map(({ row, place }) => (
              <GridRow
                key={place}
                grid={id}
                columns={columns}
                names={names}
                main={main}
                row={row}
                place={place}
                active={place === cell.row ? cell.column : -1}
                marked={row === marked}
                height={rowHeight}
                template={widths.template}
              />
            ))}
          </div>
        )}
        {hasTotals && (
          <div role="rowgroup" class="grid-foot" style={{ minWidth: `${widths.total}px` }}>
            <div role="row" class="grid-row" aria-rowindex={rows.length + 2} style={style}>
              {columns.map((shown, index) => (
                <TotalCell
                  key={shown.column.name}
                  shown={shown}
                  sum={sums.get(shown.column.name)}
                  first={index === 0}
                  main={index === main}
                />
              ))}
            </div>
          </div>
        )}
      </div>
      {rows.length === 0 && <p class="grid-none muted">No row passes the search and the filters.</p>}
      {menu && (
        <CellMenu
          spot={menu}
          columns={columns}
          everything={everything}
          module={module}
          onFilter={onFilter}
          onClose={() => {
            setMenu(null);
            grid.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** The column that tells what a row is about, takes the room that is left and stays in view: one of names, else the first of texts. */
function mainOf(columns: ShownColumn[], names: readonly string[]): number {
  const named = columns.findIndex(({ column }) => names.includes(column.name));
  return named >= 0 ? named : columns.findIndex(({ column }) => column.type === "string");
}

interface FilterRowProps {
  columns: ShownColumn[];
  main: number;
  filters: Record<string, string>;
  onFilter: (column: string, text: string) => void;
  style: Record<string, string>;
}

function FilterRow({ columns, main, filters, onFilter, style }: FilterRowProps) {
  return (
    <div role="row" class="grid-row grid-filters" style={style}>
      {columns.map(({ column }, index) => (
        <div role="gridcell" class={index === main ? "grid-cell kept" : "grid-cell"} key={column.name}>
          <input
            class="field"
            aria-label={`Filter ${column.label}`}
            data-tip={column.type === "number" ? NUMBER_HELP : TEXT_HELP}
            placeholder={column.type === "number" ? "≥" : "contains"}
            value={filters[column.name] ?? ""}
            onInput={(event) => onFilter(column.name, event.currentTarget.value)}
          />
        </div>
      ))}
    </div>
  );
}
