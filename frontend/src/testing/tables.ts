/** Small tables for tests, written as what they hold. */
import type { Column, Table, Unit } from "../result";

export function texts(name: string, values: (string | null)[]): Column {
  return { name, type: "string", unit: "", label: name, description: "", values };
}

export function numbers(name: string, values: (number | null)[], unit: Unit = "count"): Column {
  return { name, type: "number", unit, label: name, description: "", values };
}

export function tableOf(...columns: Column[]): Table {
  return { label: "", rows: columns[0]?.values.length ?? 0, columns };
}
