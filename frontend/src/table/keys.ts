/** Which cell a key moves to. Row −1 is the header. */
export interface Cell {
  row: number;
  column: number;
}

export interface Extent {
  rows: number;
  columns: number;
  /** Rows of one page. */
  page: number;
}

/** null for a key that moves nowhere. */
export function moveBy(
  key: string,
  ctrl: boolean,
  { row, column }: Cell,
  { rows, columns, page }: Extent,
): Cell | null {
  const moves: Record<string, Cell> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    PageDown: { row: row + page, column },
    PageUp: { row: Math.max(0, row - page), column },
    Home: { row: ctrl ? 0 : row, column: 0 },
    End: { row: ctrl ? rows - 1 : row, column: columns - 1 },
  };
  const target = moves[key];
  return target ? within(target, { rows, columns, page }) : null;
}

/** The nearest cell that exists. */
export function within({ row, column }: Cell, { rows, columns }: Extent): Cell {
  return { row: clamp(row, -1, rows - 1), column: clamp(column, 0, columns - 1) };
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
