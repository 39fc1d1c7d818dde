/** Other pages that tell more about an event, by what its stats say it ran. */
import type { Value } from "../result";

export interface Elsewhere {
  label: string;
  /** As `ToolLink` takes it. */
  link: string;
}

export function elsewhere(name: string, stats: ReadonlyMap<string, Value>): Elsewhere[] {
  const text = (key: string): string => String(stats.get(key) ?? "");
  const found: Elsewhere[] = [];
  const add = (label: string, tool: string, params: Record<string, string> = {}): void => {
    const query = new URLSearchParams(params).toString();
    found.push({ label, link: query ? `${tool}?${query}` : tool });
  };
  const [op, program] = [text("hlo_op"), text("program_id")];
  if (op && program) {
    const module = `${text("hlo_module").replace(/\(\d+\)$/, "")}(${program})`;
    add(`${op} in the HLO graph`, "graph_viewer", { node: op, module });
  }
  if (op && (text("kernel_details") || text("hlo_category"))) add("HLO ops", "hlo_stats");
  if (text("tf_op")) add("Framework ops", "framework_op_stats");
  if (text("kernel_details")) add("GPU kernels", "kernel_stats");
  if (text("iterator_id") || name.startsWith("Iterator::"))
    add("tf.data pipelines", "tf_data_bottleneck_analysis");
  return found;
}
