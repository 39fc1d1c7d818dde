/** From one instruction to the next by arrow keys: up to an operand, down to a user, sideways in the same layer. */
import type { Arranged, Box } from "./arrange";
import type { Graph } from "./model";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const SAME_LAYER = 4;

export function isArrow(key: string): key is Arrow {
  return /^Arrow(Up|Down|Left|Right)$/.test(key);
}

/** Name of the nearest instruction in the direction of `arrow`; null where there is none. */
export function nextTo(graph: Graph, { boxes }: Arranged, from: string, arrow: Arrow): string | null {
  const here = boxes[from];
  if (!here) return null;
  const open = new Set(graph.nodes.filter((node) => node.open).map(({ name }) => name));
  const candidates = Object.entries(boxes).filter(([name]) => name !== from && !open.has(name));
  if (arrow === "ArrowLeft" || arrow === "ArrowRight") {
    const sign = arrow === "ArrowRight" ? 1 : -1;
    const beside = candidates.filter(
      ([, box]) => Math.abs(box.y - here.y) <= SAME_LAYER && (box.x - here.x) * sign > 0,
    );
    return nearest(beside, here);
  }
  const linked = graph.edges.flatMap(({ source, target }) =>
    arrow === "ArrowUp" ? (target === from ? [source] : []) : source === from ? [target] : [],
  );
  return nearest(
    candidates.filter(([name]) => linked.includes(name)),
    here,
  );
}

function nearest(candidates: [string, Box][], here: Box): string | null {
  const distance = ([, box]: [string, Box]): number => Math.hypot(box.x - here.x, box.y - here.y);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0]?.[0] ?? null;
}
