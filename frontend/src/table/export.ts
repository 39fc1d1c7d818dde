/** What is shown, as text: the visible columns and rows in their order, with exact values in the unit of the data. */
import type { Column, Value } from "../result";

export function toCsv(columns: Column[], rows: Iterable<number>): string {
  const lines = [
    columns.map((column) => csvCell(column.unit ? `${column.name} [${column.unit}]` : column.name)).join(","),
  ];
  for (const row of rows) lines.push(columns.map((column) => csvCell(column.values[row] ?? null)).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

export function toJson(columns: Column[], rows: Iterable<number>): string {
  const objects = Array.from(rows, (row) =>
    Object.fromEntries(columns.map((column) => [column.name, column.values[row] ?? null])),
  );
  const units = Object.fromEntries(columns.map((column) => [column.name, column.unit]));
  return JSON.stringify({ units, rows: objects }, null, 1);
}

function csvCell(value: Value): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lets the browser download what is at an address, under the name that the server gives it. */
export function downloadFrom(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

/** Hands a file to the browser's downloads. */
export function download(name: string, content: string | Blob, type = "text/plain"): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
