/** What can be done with a cell: copy it, look only at its like, find it elsewhere, see the whole row. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { escaped, linksOf, namedBy } from "../links";
import { offered, tool } from "../state";
import { exact } from "../units";
import { copy } from "../widgets/copy";
import { PlaceLink } from "../widgets/ToolLink";
import type { Column } from "../result";
import type { ShownColumn } from "./layout";

export interface Spot {
  box: DOMRect;
  shown: ShownColumn;
  row: number;
}

interface Props {
  spot: Spot;
  columns: ShownColumn[];
  /** All columns of the table, also those that are put away. */
  everything: readonly Column[];
  /** The program that the table is about. */
  module: string;
  onFilter: (column: string, text: string) => void;
  onClose: () => void;
}

export function CellMenu({ spot, columns, everything, module, onFilter, onClose }: Props) {
  const [details, setDetails] = useState(false);
  const { column } = spot.shown;
  const value = column.values[spot.row] ?? null;
  const text = value === null ? "" : String(value);
  const named = namedBy(everything, column, spot.row, module);
  const links = named ? linksOf(named, offered.value) : [];
  const element = useFloating(spot.box, onClose, details);
  const choose = (action: () => void) => (): void => {
    action();
    onClose();
  };
  return (
    <div
      class="popover cell-menu"
      ref={element}
      role="dialog"
      aria-label={details ? "The whole row" : `Actions on ${text}`}
    >
      {details ? (
        <dl class="details">
          {columns.map((shown) => (
            <div key={shown.column.name}>
              <dt data-tip={shown.column.description || undefined}>{shown.column.label}</dt>
              <dd class="number">{exact(shown.column.values[spot.row] ?? null, shown.column.unit)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <>
          <button class="menu-item" onClick={choose(() => void copy(text, "Cell copied"))}>
            Copy {column.label.toLowerCase()}
          </button>
          {column.type === "string" && value !== null && (
            <>
              <button class="menu-item" onClick={choose(() => onFilter(column.name, `/^${escaped(text)}$/`))}>
                Show only this
              </button>
              {links
                .filter(({ place }) => place.tool !== tool.value || place.tool === "graph_viewer")
                .map(({ label, place }) => (
                  <PlaceLink key={label} class="menu-item" place={place}>
                    {label}
                  </PlaceLink>
                ))}
            </>
          )}
          <button class="menu-item" onClick={() => setDetails(true)}>
            Show the whole row
          </button>
        </>
      )}
    </div>
  );
}

/** Places the menu under the cell, within the window; the focus is in it until it closes. */
function useFloating(box: DOMRect, onClose: () => void, changed: boolean) {
  const element = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const menu = element.current;
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const fits = box.bottom + height < window.innerHeight;
    menu.style.left = `${Math.max(4, Math.min(box.left, window.innerWidth - width - 8))}px`;
    menu.style.top = `${fits ? box.bottom : Math.max(4, box.top - height)}px`;
    menu.querySelector<HTMLElement>("button, a")?.focus();
  }, [box, changed]);
  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (!element.current?.contains(event.target as Node)) close.current();
    };
    const keys = (event: KeyboardEvent): void => {
      const items = [...(element.current?.querySelectorAll<HTMLElement>("button, a") ?? [])];
      const place = items.indexOf(document.activeElement as HTMLElement);
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (event.key === "Escape" || event.key === "Tab") close.current();
      else if (step !== 0) items[(place + step + items.length) % items.length]?.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    const scrolled = (event: Event): void => {
      if (!element.current?.contains(event.target as Node)) close.current();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", keys, true);
    document.addEventListener("scroll", scrolled, true);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", keys, true);
      document.removeEventListener("scroll", scrolled, true);
    };
  }, []);
  return element;
}
