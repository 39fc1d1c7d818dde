/** Which rows of a long list are near the visible part. */

export interface Window {
  first: number;
  /** One past the last. */
  end: number;
}

/** Rows beyond the edges, so that scrolling a little draws nothing; the window moves in steps of this many rows. */
const SPARE = 12;

/** `top` and `height` in pixels of the list. */
export function visibleRows(top: number, height: number, rowHeight: number, rows: number): Window {
  const first = Math.floor(top / rowHeight / SPARE) * SPARE - SPARE;
  const end = Math.ceil((top + height) / rowHeight / SPARE) * SPARE + SPARE;
  return { first: Math.max(0, Math.min(first, rows)), end: Math.max(0, Math.min(end, rows)) };
}
