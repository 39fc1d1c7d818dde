import { describe, expect, it } from "vitest";
import { arrange, type Box } from "./arrange";

const node = (name: string, inside: string | null = null, open = false) => ({ name, inside, open });
const edge = (source: string, target: string) => ({ source, target });
const SIZE = { width: 100, height: 40 };

const top = (box: Box | undefined): number => (box as Box).y - (box as Box).height / 2;
const bottom = (box: Box | undefined): number => (box as Box).y + (box as Box).height / 2;

describe("an arrangement", () => {
  it("puts who takes a value below who makes it", () => {
    const nodes = ["a", "b", "c"].map((name) => node(name));
    const { boxes, lines, height } = arrange({ nodes, edges: [edge("a", "b"), edge("b", "c")], ...SIZE });
    expect(bottom(boxes["a"])).toBeLessThan(top(boxes["b"]));
    expect(bottom(boxes["b"])).toBeLessThan(top(boxes["c"]));
    expect(bottom(boxes["c"])).toBeLessThanOrEqual(height);
    expect(lines[0]?.at(-1)?.y).toBe(top(boxes["b"]));
  });

  it("draws an open fusion around what is in it", () => {
    const nodes = [node("a"), node("f", null, true), node("x", "f"), node("y", "f")];
    const { boxes } = arrange({ nodes, edges: [edge("a", "x"), edge("x", "y")], ...SIZE });
    expect(top(boxes["f"])).toBeLessThan(top(boxes["x"]));
    expect(bottom(boxes["f"])).toBeGreaterThan(bottom(boxes["y"]));
    expect(bottom(boxes["a"])).toBeLessThan(top(boxes["f"]));
  });

  it("leaves out lines to what is no box", () => {
    const nodes = [node("a"), node("f", null, true), node("x", "f")];
    const { lines } = arrange({ nodes, edges: [edge("a", "f"), edge("a", "elsewhere")], ...SIZE });
    expect(lines).toEqual([[], []]);
  });

  it("holds a single instruction", () => {
    const { boxes, lines } = arrange({ nodes: [node("a")], edges: [], ...SIZE });
    expect(boxes["a"]).toMatchObject(SIZE);
    expect(lines).toEqual([]);
  });
});
