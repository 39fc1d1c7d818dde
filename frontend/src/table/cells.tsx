/** The cells around those of a grid: headers that sort and resize, and totals. */
import type { Column } from "../result";
import { exact, format, formatIn, withUnit } from "../units";
import type { ShownColumn } from "./layout";
import type { SortKey } from "./order";

interface HeaderProps {
  id: string;
  shown: ShownColumn;
  keys: SortKey[];
  active: boolean;
  main: boolean;
  width: number;
  onSort: (column: Column, add: boolean) => void;
  onResize: (width: number) => void;
}

export function HeaderCell({ id, shown, keys, active, main, width, onSort, onResize }: HeaderProps) {
  const { column, scale } = shown;
  const place = keys.findIndex((key) => key.column === column.name);
  const key = keys[place];
  const onDrag = (down: PointerEvent): void => {
    down.preventDefault();
    const handle = down.currentTarget as HTMLElement;
    handle.setPointerCapture(down.pointerId);
    handle.onpointermove = (move) => onResize(width + move.clientX - down.clientX);
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  };
  return (
    <div
      id={id}
      role="columnheader"
      class={`grid-cell grid-header ${column.type === "number" ? "right" : ""} ${main ? "kept" : ""} ${active ? "active" : ""}`}
      aria-sort={key ? (key.descending ? "descending" : "ascending") : "none"}
      aria-description={column.description}
      data-tip={column.description || undefined}
      onClick={(event) => onSort(column, event.shiftKey)}
    >
      <span class="grid-label">
        {column.label} {scale.label && <span class="unit">{scale.label}</span>}
      </span>
      {key && (
        <span class="grid-sort" aria-hidden="true">
          {key.descending ? "▾" : "▴"}
          {keys.length > 1 && place + 1}
        </span>
      )}
      <span
        class="grid-resize"
        aria-hidden="true"
        onPointerDown={onDrag}
        onClick={(event) => event.stopPropagation()}
      />
    </div>
  );
}

export function TotalCell({
  shown,
  sum,
  first,
  main,
}: {
  shown: ShownColumn;
  sum: number | undefined;
  first: boolean;
  main: boolean;
}) {
  const { column, scale } = shown;
  const place = main ? "kept" : "";
  if (sum === undefined)
    return <div role="gridcell" class={`grid-cell ${place}`} children={first ? "Total" : ""} />;
  const text = scale.label ? formatIn(sum, scale) : format(sum, column.unit);
  return (
    <div
      role="gridcell"
      class={`grid-cell right number ${place}`}
      data-tip={`Sum of the rows shown: ${exact(sum, column.unit)}, about ${withUnit(formatIn(sum, scale), scale)}`}
    >
      {text}
    </div>
  );
}
