/** Where else an op, a kernel or a program appears: its events, its HLO, its row in the statistics. */
import { column, type Column, type Role, type Table, type Value } from "./result";
import { titles, type Place } from "./state";

/** Something that has a name in several tools. */
export interface Named {
  role: Role;
  name: string;
  /** The program that holds an HLO op, by name or number. */
  module?: string;
}

export interface Link {
  label: string;
  place: Place & { tool: string };
}

/** What the cell of a table names; null for a cell that names nothing. */
export function namedBy(columns: readonly Column[], cell: Column, row: number, module = ""): Named | null {
  const value = cell.values[row];
  // In brackets stands what is no name: "(no op)".
  if (!cell.role || typeof value !== "string" || value === "" || /^\(.*\)$/.test(value)) return null;
  const program =
    columns.find(({ name }) => name === "program_id") ?? columns.find(({ role }) => role === "program");
  const inModule = String(program?.values[row] ?? module);
  if (cell.role !== "hlo_op") return { role: cell.role, name: value, module: inModule };
  return opNamed(value, inModule, columns.find(({ role }) => role === "framework_op")?.values[row]);
}

/** An op of a device. One that belongs to no program is a kernel, named after the framework op that launched it. */
export function opNamed(name: string, module: string, origin: Value | undefined): Named {
  const prefix = `${origin}/`;
  if (module === "" && name.startsWith(prefix)) return { role: "kernel", name: name.slice(prefix.length) };
  return { role: "hlo_op", name, module };
}

/** The things that a table lists with their roles: an event of the timeline, by the names it has elsewhere. */
export function namedThings(table: Table | undefined): Named[] {
  const [roles, names, programs] = ["role", "name", "program_id"].map(
    (name) => column(table, name)?.values ?? [],
  );
  return (roles ?? []).map((role, row) => ({
    role: role as Role,
    name: String(names?.[row]),
    module: String(programs?.[row] ?? ""),
  }));
}

/** The places where `named` appears, of those whose tool is among `offered`. */
export function linksOf(named: Named, offered: ReadonlySet<string>): Link[] {
  return PLACES[named.role](named).filter(({ place }) => offered.has(place.tool));
}

const PLACES: Record<Role, (named: Named) => Link[]> = {
  hlo_op: ({ name, module }) => {
    // A part of what an instruction writes: `while.2{0,1}`.
    const instruction = name.replace(/\{[\d,]*\}$/, "");
    return [
      timeline({ search: `(^|::)${escaped(instruction)}$`, regex: "true", stats: "true" }),
      ...(module ? [graph({ module, node: instruction })] : []),
      ...["hlo_stats", "roofline_model"].map((tool) => rowIn(tool, "operation", instruction)),
    ];
  },
  framework_op: ({ name }) => [
    eventsOf(name),
    graph({ find: name }),
    rowIn("framework_op_stats", "operation", name),
    rowIn("kernel_stats", "op_name", name),
  ],
  host_op: ({ name }) => [
    eventsOf(name),
    rowIn("framework_op_stats", "operation", name, anyRepetition(name)),
    rowIn("input_pipeline_analyzer", "operation", name, anyRepetition(name)),
  ],
  kernel: ({ name }) => [timeline({ search: name }), rowIn("kernel_stats", "kernel_name", name)],
  event: ({ name }) => [timeline({ search: name, stats: "true" })],
  program: ({ name }) => [
    graph({ module: name }),
    { label: "Show its buffers", place: { tool: "memory_viewer", params: { module: name } } },
    rowIn("hlo_stats", "program", name),
  ],
};

/**
 * The name of an op stands alone or before its type: `dense/MatMul:MatMul`. The repetitions of a dataset, whose iterators are
 * numbered, are one op with a star in place of the number.
 */
function eventsOf(op: string): Link {
  const pattern = escaped(op).replaceAll("\\[\\*\\]", "\\[\\d+\\]");
  return timeline({ search: `^${pattern}(:?$|:[^:])`, regex: "true", stats: "true" });
}

function timeline(params: Record<string, string>): Link {
  return { label: "Find in the timeline", place: { tool: "trace_viewer", params } };
}

function graph(params: Record<string, string>): Link {
  return { label: "Show in the HLO graph", place: { tool: "graph_viewer", params } };
}

/** One repetition of a dataset is part of the op of all. */
function anyRepetition(op: string): string {
  return escaped(op).replace(/\\\[(\d+)\\\]/g, "\\[($1|\\*)\\]");
}

function rowIn(tool: string, of: string, name: string, pattern = escaped(name)): Link {
  const params = { [`filter.${of}`]: `/^${pattern}$/` };
  return { label: `Show in ${titles.value[tool] ?? tool}`, place: { tool, params } };
}

/** `text` as a part of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
