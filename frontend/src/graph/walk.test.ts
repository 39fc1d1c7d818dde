import { describe, expect, it } from "vitest";
import { arrange } from "./arrange";
import { graphOf } from "./model";
import { numbers, tableOf, texts } from "../testing/tables";
import { nextTo } from "./walk";

const GRAPH = graphOf(
  tableOf(texts("name", ["a", "b", "c", "d"]), numbers("self_time", [null, 5, null, null])),
  tableOf(texts("source", ["a", "b", "c"]), texts("target", ["c", "c", "d"])),
);
const ARRANGED = arrange({ ...GRAPH, width: 100, height: 40 });

describe("a graph of two tables", () => {
  it("knows what is not known", () => {
    expect(GRAPH.nodes.map(({ time, inside }) => [time, inside])).toEqual([
      [null, null],
      [5, null],
      [null, null],
      [null, null],
    ]);
  });
});

describe("the arrow keys", () => {
  it("go up to an operand, down to a user, and sideways in the layer", () => {
    const [left, right] = (ARRANGED.boxes["a"]?.x ?? 0) < (ARRANGED.boxes["b"]?.x ?? 0) ? "ab" : "ba";
    expect(nextTo(GRAPH, ARRANGED, "c", "ArrowDown")).toBe("d");
    expect(["a", "b"]).toContain(nextTo(GRAPH, ARRANGED, "c", "ArrowUp"));
    expect(nextTo(GRAPH, ARRANGED, left as string, "ArrowRight")).toBe(right);
    expect(nextTo(GRAPH, ARRANGED, left as string, "ArrowLeft")).toBeNull();
    expect(nextTo(GRAPH, ARRANGED, "d", "ArrowDown")).toBeNull();
  });
});
