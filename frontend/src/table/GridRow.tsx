/** One row of a grid. Drawn again only when something of it has changed, which keeps scrolling smooth. */
import { memo } from "../widgets/memo";
import { barOf, cellText, type ShownColumn } from "./layout";
import { MiddleText } from "../widgets/MiddleText";

interface Props {
  /** Id of the grid, from which those of its cells are made. */
  grid: string;
  columns: ShownColumn[];
  names: readonly string[];
  /** Index of the column that stays in view. */
  main: number;
  row: number;
  /** Place in the shown order. */
  place: number;
  /** Index of the active column, −1 where another row is active. */
  active: number;
  /** Whether the row is pointed at elsewhere. */
  marked: boolean;
  height: number;
  template: string;
}

export const GridRow = memo(function GridRow({
  grid,
  columns,
  names,
  main,
  row,
  place,
  active,
  marked,
  height,
  template,
}: Props) {
  return (
    <div
      role="row"
      class={marked ? "grid-row marked" : "grid-row"}
      aria-rowindex={place + 2}
      style={{ gridTemplateColumns: template, top: `${place * height}px`, height: `${height}px` }}
    >
      {columns.map((shown, index) => {
        const { name, type } = shown.column;
        const isName = names.includes(name);
        const bar = barOf(shown, row);
        const text = cellText(shown, row);
        return (
          <div
            key={name}
            id={cellId(grid, place, index)}
            role="gridcell"
            class={`grid-cell ${type === "number" ? "right number" : isName ? "name" : ""} ${index === main ? "kept" : ""} ${index === active ? "active" : ""}`}
          >
            {bar !== null && <span class="grid-bar" style={{ width: `${bar * 100}%` }} />}
            <span class="grid-text">{isName ? <MiddleText text={text} /> : text}</span>
          </div>
        );
      })}
    </div>
  );
});

export function cellId(grid: string, place: number, column: number): string {
  return `${grid}-${place}-${column}`;
}

/** The cell that an event happened in. */
export function cellOf(event: Event): { element: HTMLElement; place: number; column: number } | null {
  const element =
    event.target instanceof Element ? event.target.closest<HTMLElement>(".grid-body [role=gridcell]") : null;
  const match = /-(\d+)-(\d+)$/.exec(element?.id ?? "");
  return element && match ? { element, place: Number(match[1]), column: Number(match[2]) } : null;
}
