import { expect, it } from "vitest";
import type { Value } from "../result";
import { elsewhere } from "./elsewhere";

const links = (name: string, stats: Record<string, Value>): string[] =>
  elsewhere(name, new Map(Object.entries(stats))).map(({ link }) => link);

it("an op of a compiled program leads to its place in the program", () => {
  const stats = { hlo_op: "dot.3", hlo_module: "jit_f", program_id: 4 };
  expect(links("dot.3", stats)).toEqual(["graph_viewer?node=dot.3&module=jit_f%284%29"]);
  expect(links("dot.3", { ...stats, hlo_module: "jit_f(4)", hlo_category: "convolution" })).toEqual([
    "graph_viewer?node=dot.3&module=jit_f%284%29",
    "hlo_stats",
  ]);
});

it("kernels, framework ops and iterators lead to their tables, other events nowhere", () => {
  expect(links("gemm", { kernel_details: "regs:32", tf_op: "a:MatMul" })).toEqual([
    "framework_op_stats",
    "kernel_stats",
  ]);
  expect(links("Iterator::Map", {})).toEqual(["tf_data_bottleneck_analysis"]);
  expect(links("poll", { bytes: 3 })).toEqual([]);
});
