/** What a grid has to know about pixels. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ShownColumn } from "./layout";
import { visibleRows, type Window } from "./window";

/** Of an average character of the page's font, in rem. */
const CHAR_REM = 0.51;
const PADDING_REM = 1.125;
const MIN_WIDTH = 40;

export interface Widths {
  /** For `grid-template-columns`. */
  template: string;
  /** Sum of the columns, in pixels. */
  total: number;
  of: (shown: ShownColumn) => number;
  resize: (column: string, width: number) => void;
}

/**
 * Widths of columns: natural ones until dragged; texts are cut where there is no room for them.
 * The column at `stretched` takes the room that is left.
 */
export function useWidths(columns: ShownColumn[], stretched: number, rem: number): Widths {
  const [dragged, setDragged] = useState<Record<string, number>>({});
  const pixels = (chars: number): number => Math.round((chars * CHAR_REM + PADDING_REM) * rem);
  const of = ({ column, chars }: ShownColumn): number => dragged[column.name] ?? pixels(chars);
  const least = ({ column, leastChars }: ShownColumn): number => dragged[column.name] ?? pixels(leastChars);
  const track = (shown: ShownColumn, index: number): string => {
    const to = index === stretched && !(shown.column.name in dragged) ? "1fr" : `${of(shown)}px`;
    return `minmax(${least(shown)}px, ${to})`;
  };
  return {
    template: columns.map(track).join(" "),
    total: columns.reduce((sum, shown) => sum + least(shown), 0),
    of,
    resize: (column, width) => setDragged({ ...dragged, [column]: Math.max(MIN_WIDTH, width) }),
  };
}

/** Pixels per rem, which grow with the text size that the reader chose. */
export function useRem(): number {
  const [rem, setRem] = useState(16);
  useLayoutEffect(() => {
    const measure = (): void => setRem(parseFloat(getComputedStyle(document.documentElement).fontSize));
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, []);
  return rem;
}

/** The rows to draw, and a function to call when the grid has been scrolled. */
export function useVisibleRows(
  grid: RefObject<HTMLElement>,
  rowHeight: number,
  rows: number,
): [Window, () => void] {
  const [shown, setShown] = useState<Window>({ first: 0, end: 36 });
  const update = (): void => {
    const element = grid.current;
    if (!element) return;
    const next = visibleRows(element.scrollTop, element.clientHeight, rowHeight, rows);
    setShown((old) => (old.first === next.first && old.end === next.end ? old : next));
  };
  const latest = useRef(update);
  latest.current = update;
  useLayoutEffect(() => latest.current(), [rowHeight, rows]);
  useEffect(() => {
    if (!grid.current) return;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(grid.current);
    return () => observer.disconnect();
  }, [grid]);
  return [shown, update];
}

/** Scrolls until row `row` lies between the header and the totals. */
export function scrollToRow(grid: HTMLElement, row: number, rowHeight: number): void {
  const heightOf = (part: string): number => grid.querySelector<HTMLElement>(part)?.offsetHeight ?? 0;
  const room = grid.clientHeight - heightOf(".grid-head") - heightOf(".grid-foot");
  const top = row * rowHeight;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + rowHeight > grid.scrollTop + room) grid.scrollTop = top + rowHeight - room;
}
