/** What a tool answers, as the server sends it (`profiler_plugin/tools/base.py:to_json`). */

export type Unit = "" | "ps" | "bytes" | "share" | "count" | "flops_per_s" | "bytes_per_s" | "flops_per_byte";

/** What the texts of a column name (`profiler_plugin/tools/base.py`). */
export type Role = "hlo_op" | "framework_op" | "host_op" | "kernel" | "event" | "program";

/** null is an unknown value, never zero. */
export type Value = number | string | boolean | null;

export interface Column {
  name: string;
  type: "string" | "number" | "boolean";
  unit: Unit;
  label: string;
  description: string;
  role?: Role;
  values: Value[];
}

export interface Table {
  label: string;
  rows: number;
  columns: Column[];
}

export interface Metric {
  name: string;
  value: Value;
  unit: Unit;
  label: string;
  description: string;
  /** Sample standard deviation, in the unit of the value. */
  spread: number | null;
  /** Why the value is unknown. */
  reason: string;
  group: string;
}

/** "block", a rectangle per row, is made by a view and never sent. */
export type ChartKind = "bar" | "line" | "area" | "pie" | "scatter" | "block";

export interface Chart {
  name: string;
  kind: ChartKind;
  table: string;
  x: string;
  y: string[];
  label: string;
  description: string;
  stack: boolean;
  log: boolean;
  /** Column of names of the marks. */
  names?: string;
  /** Table of lines to compare the marks with: x in its first column, a line in each other. */
  lines?: string;
}

export interface Note {
  severity: "info" | "warning" | "error";
  cause: string;
  remedy: string;
  link: string;
  count: number;
}

export interface Result {
  tool: string;
  run: string;
  host: string;
  tables: Record<string, Table>;
  metrics: Metric[];
  charts: Chart[];
  notes: Note[];
}

export interface HostFile {
  host: string;
  bytes: number;
}

export interface Session {
  run: string;
  /** Stands for its files. */
  version: string;
  /** Seconds since 1970. */
  modified: number;
  bytes: number;
  hosts: HostFile[];
  notes: Note[];
}

export interface Sessions {
  logdir: string;
  sessions: Session[];
  notes: Note[];
  version: string;
}

export interface ToolParam {
  name: string;
  type: "string" | "int" | "float" | "bool";
  default: Value;
  /** Values to choose from; empty where any will do. */
  choices: string[];
  help: string;
}

export interface ToolInfo {
  name: string;
  title: string;
  description: string;
  /** What may be chosen as host: names, and ALL_HOSTS first where the tool combines them. */
  hosts: string[];
  /** Whether it counts only the steps that are picked. */
  follows_steps: boolean;
  /** Whether the session holds what the tool reads; null until that is known. */
  available: boolean | null;
  /** Why it is not available. */
  note: Note | null;
  params: ToolParam[];
}

export function column(table: Table | undefined, name: string): Column | undefined {
  return table?.columns.find((candidate) => candidate.name === name);
}
