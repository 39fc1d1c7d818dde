/** A result table that is a tree: rows open and close, siblings sort, a search shows what it finds with its ancestors. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { column as columnOf, type Table } from "../result";
import { Icon } from "../widgets/Icon";
import { counted } from "../units";
import { MiddleText } from "../widgets/MiddleText";
import { barOf, blankColumns, cellText, cellTip, layoutOf, type ShownColumn } from "./layout";
import { clickSort, type SortKey } from "./order";
import { firstOpen, foundRows, treeOf, visibleRows } from "./tree";

interface Props {
  /** With the columns `name`, `parent` (a row, or -1) and what `columns` lists. */
  table: Table;
  title: string;
  columns: readonly string[];
  /** Columns of shares whose bars are coloured from poor to good. */
  graded?: readonly string[];
  selected: number | null;
  onSelect: (row: number) => void;
}

const NONE: readonly string[] = [];
/** Rows drawn at once; a search narrows what is left. */
const MOST = 1000;

export function TreeTable({ table, title, columns, graded = NONE, selected, onSelect }: Props) {
  const tree = useMemo(() => treeOf(table), [table]);
  const shown = useMemo(() => {
    const blank = blankColumns(table);
    return layoutOf(table).filter(({ column: { name } }) => columns.includes(name) && !blank.includes(name));
  }, [table, columns]);
  const [open, setOpen] = useState(() => firstOpen(table, tree));
  useEffect(() => setOpen(firstOpen(table, tree)), [table, tree]);
  const [keys, setKeys] = useState<SortKey[]>([]);
  const [search, setSearch] = useState("");
  const rows = useMemo(
    () => visibleRows(table, tree, { open, keys, found: foundRows(table, search) }),
    [table, tree, open, keys, search],
  );
  const names = columnOf(table, "name")?.values ?? [];
  const body = useRef<HTMLDivElement>(null);

  const toggle = (row: number, wanted = !open.has(row)): void => {
    const next = new Set(open);
    if (wanted) next.add(row);
    else next.delete(row);
    setOpen(next);
  };
  const hasChildren = (row: number): boolean => (tree.children[row]?.length ?? 0) > 0;
  const focusRow = (row: number | undefined): void => {
    if (row === undefined) return;
    onSelect(row);
    body.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = selected ?? rows[0];
    if (row === undefined) return;
    const place = rows.indexOf(row);
    if (event.key === "ArrowDown") focusRow(rows[place + 1]);
    else if (event.key === "ArrowUp") focusRow(rows[place - 1]);
    else if (event.key === "Home") focusRow(rows[0]);
    else if (event.key === "End") focusRow(rows[rows.length - 1]);
    else if (event.key === "ArrowRight" && hasChildren(row)) {
      if (open.has(row)) focusRow(rows[place + 1]);
      else toggle(row, true);
    } else if (event.key === "ArrowLeft") {
      if (open.has(row)) toggle(row, false);
      else focusRow(tree.parents[row] === -1 ? undefined : tree.parents[row]);
    } else if (event.key === "Enter" || event.key === " ") toggle(row);
    else return;
    event.preventDefault();
  };
  const template = `minmax(15rem, 1fr) ${shown.map(({ chars }) => `${chars + 2}ch`).join(" ")}`;
  return (
    <section class="card table-card" aria-label={title}>
      <div class="table-bar">
        <h2>{title}</h2>
        <span class="spacer" />
        <label class="table-search">
          <Icon name="search" />
          <span class="hidden-visually">Search {title}</span>
          <input
            class="field"
            type="search"
            placeholder="Search"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <button class="button plain small" onClick={() => setOpen(new Set(table.columns[0]?.values.keys()))}>
          Open all
        </button>
        <button class="button plain small" onClick={() => setOpen(new Set(tree.roots))}>
          Close all
        </button>
      </div>
      <div class="grid" role="treegrid" aria-label={title} aria-rowcount={table.rows + 1}>
        <div class="grid-head grid-row" role="row" style={{ gridTemplateColumns: template }}>
          <span class="grid-cell grid-header" role="columnheader">
            Name
          </span>
          {shown.map((one) => (
            <Heading key={one.column.name} shown={one} keys={keys} onSort={setKeys} />
          ))}
        </div>
        <div class="tree-body" role="rowgroup" ref={body} onKeyDown={onKeyDown}>
          {rows.slice(0, MOST).map((row) => (
            <div
              key={row}
              data-row={row}
              role="row"
              class="grid-row tree-row"
              tabIndex={row === (selected ?? rows[0]) ? 0 : -1}
              aria-level={(tree.depths[row] ?? 0) + 1}
              aria-expanded={hasChildren(row) ? open.has(row) || search !== "" : undefined}
              aria-selected={row === selected}
              style={{ gridTemplateColumns: template }}
              onClick={() => onSelect(row)}
            >
              <span class="grid-cell tree-name" role="gridcell">
                <span style={{ width: `${(tree.depths[row] ?? 0) * 1.125}rem` }} />
                <button
                  class="tree-twist"
                  tabIndex={-1}
                  aria-hidden="true"
                  hidden={!hasChildren(row)}
                  onClick={() => toggle(row)}
                >
                  {open.has(row) || search !== "" ? "▾" : "▸"}
                </button>
                <span class="grid-text">
                  <MiddleText text={String(names[row])} />
                </span>
              </span>
              {shown.map((one) => (
                <TreeCell
                  key={one.column.name}
                  shown={one}
                  row={row}
                  graded={graded.includes(one.column.name)}
                />
              ))}
            </div>
          ))}
        </div>
        {rows.length === 0 && (
          <p class="muted tree-note">Neither a name nor a framework op or source line holds this text.</p>
        )}
        {rows.length > MOST && (
          <p class="muted tree-note">{counted(rows.length - MOST, "more row")}: close some, or search.</p>
        )}
      </div>
    </section>
  );
}

interface HeadingProps {
  shown: ShownColumn;
  keys: SortKey[];
  onSort: (keys: SortKey[]) => void;
}

function Heading({ shown, keys, onSort }: HeadingProps) {
  const { column, scale } = shown;
  const key = keys.find((one) => one.column === column.name);
  return (
    <div role="columnheader" aria-sort={key ? (key.descending ? "descending" : "ascending") : "none"}>
      <button
        class="grid-cell grid-header right tree-sort"
        aria-description={column.description}
        data-tip={column.description || undefined}
        onClick={(event) => onSort(clickSort(keys, column, event.shiftKey))}
      >
        <span class="grid-label">
          {column.label} {scale.label && <span class="unit">{scale.label}</span>}
        </span>
        {key && <span aria-hidden="true">{key.descending ? "▾" : "▴"}</span>}
      </button>
    </div>
  );
}

function TreeCell({ shown, row, graded }: { shown: ShownColumn; row: number; graded: boolean }) {
  const bar = barOf(shown, row);
  const colour = graded && bar !== null ? { "--grade": `${Math.round(bar * 100)}%` } : {};
  return (
    <span class="grid-cell right number" role="gridcell" data-tip={tipOf(shown, row)}>
      {bar !== null && (
        <span class={`grid-bar ${graded ? "graded" : ""}`} style={{ width: `${bar * 100}%`, ...colour }} />
      )}
      <span class="grid-text">{cellText(shown, row)}</span>
    </span>
  );
}

/** A node without a value has none for a reason that the definition of the column tells. */
function tipOf(shown: ShownColumn, row: number): string {
  const { description, values } = shown.column;
  return values[row] === null && description
    ? `Not told for this node. ${description}.`
    : cellTip(shown, row);
}
