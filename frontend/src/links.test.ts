import { describe, expect, it } from "vitest";
import { linksOf, namedBy } from "./links";
import { numbers, texts } from "./testing/tables";

const EVERYTHING = new Set([
  "trace_viewer",
  "graph_viewer",
  "hlo_stats",
  "roofline_model",
  "framework_op_stats",
  "kernel_stats",
  "memory_viewer",
]);
const OP = { ...texts("operation", ["dot.3", null, "(no op)"]), role: "hlo_op" as const };
const PROGRAM = { ...texts("program", ["jit_f", "jit_f", null]), role: "program" as const };
const COLUMNS = [OP, PROGRAM, texts("program_id", ["46", "46", null]), numbers("time", [1, 2, 3])];

describe("what a cell names", () => {
  it("is told by the role of its column, with the program of its row", () => {
    expect(namedBy(COLUMNS, OP, 0)).toEqual({ role: "hlo_op", name: "dot.3", module: "46" });
    expect(namedBy([OP, PROGRAM], OP, 0)?.module).toBe("jit_f");
    expect(namedBy([OP], OP, 0, "jit_g(7)")?.module).toBe("jit_g(7)");
  });

  it("is a kernel where an op belongs to no program", () => {
    const op = { ...texts("operation", ["aten.mul/void mul<float>"]), role: "hlo_op" as const };
    const origin = { ...texts("framework_op", ["aten.mul"]), role: "framework_op" as const };
    expect(namedBy([op, origin], op, 0)).toEqual({ role: "kernel", name: "void mul<float>" });
    expect(namedBy([op], op, 0)?.role).toBe("hlo_op");
  });

  it("is nothing where nothing is known, where no name stands, and in other columns", () => {
    expect(namedBy(COLUMNS, OP, 1)).toBeNull();
    expect(namedBy(COLUMNS, OP, 2)).toBeNull();
    expect(namedBy(COLUMNS, COLUMNS[3] as never, 0)).toBeNull();
  });
});

describe("links to other tools", () => {
  const places = (named: Parameters<typeof linksOf>[0], offered = EVERYTHING) =>
    linksOf(named, offered).map(({ place }) => [place.tool, place.params]);

  it("lead from an HLO op to its events, its instruction and its rows", () => {
    expect(places({ role: "hlo_op", name: "while.2{0,1}", module: "46" })).toEqual([
      ["trace_viewer", { search: "(^|::)while\\.2$", regex: "true", stats: "true" }],
      ["graph_viewer", { module: "46", node: "while.2" }],
      ["hlo_stats", { "filter.operation": "/^while\\.2$/" }],
      ["roofline_model", { "filter.operation": "/^while\\.2$/" }],
    ]);
  });

  it("lead to no graph where the program of an op is not known", () => {
    expect(places({ role: "hlo_op", name: "dot.3" }).map(([tool]) => tool)).not.toContain("graph_viewer");
  });

  it("lead from a framework op to what was compiled from it, and from a kernel to its launches", () => {
    expect(places({ role: "framework_op", name: "jit(f)/mul" })).toContainEqual([
      "graph_viewer",
      { find: "jit(f)/mul" },
    ]);
    expect(places({ role: "kernel", name: "sgemm" })).toEqual([
      ["trace_viewer", { search: "sgemm" }],
      ["kernel_stats", { "filter.kernel_name": "/^sgemm$/" }],
    ]);
  });

  it("lead from the repetitions of a dataset to all of them", () => {
    expect(places({ role: "framework_op", name: "Iterator::Root::Repeat[*]::Batch" })[0]).toEqual([
      "trace_viewer",
      { search: "^Iterator::Root::Repeat\\[\\d+\\]::Batch(:?$|:[^:])", regex: "true", stats: "true" },
    ]);
  });

  it("lead from an iterator to its rows, also where these add up all repetitions of its dataset", () => {
    expect(places({ role: "host_op", name: "Iterator::Root::Repeat[3]::Batch" })).toEqual([
      [
        "trace_viewer",
        { search: "^Iterator::Root::Repeat\\[3\\]::Batch(:?$|:[^:])", regex: "true", stats: "true" },
      ],
      ["framework_op_stats", { "filter.operation": "/^Iterator::Root::Repeat\\[(3|\\*)\\]::Batch$/" }],
    ]);
  });

  it("lead only to tools that have something to say", () => {
    expect(
      places({ role: "kernel", name: "sgemm" }, new Set(["trace_viewer"])).map(([tool]) => tool),
    ).toEqual(["trace_viewer"]);
  });
});
