import { describe, expect, it } from "vitest";
import { fitted, opening, revealing, zoomed } from "./camera";

const SCREEN = { width: 800, height: 400 };
const drawing = (width: number, height: number) => ({ width, height, boxes: {}, lines: [] });
const BOX = { x: 5000, y: 100, width: 200, height: 40 };

describe("the camera", () => {
  it("shows the whole drawing in the middle, beside the buttons", () => {
    expect(fitted({ width: 1512, height: 400 }, SCREEN)).toEqual({ scale: 0.5, x: 0, y: 100 });
    expect(fitted({ width: 400, height: 400 }, SCREEN)).toEqual({ scale: 1, x: 200, y: 0 });
  });

  it("opens on the whole where that can be read, else on the instruction in the middle", () => {
    expect(opening(drawing(750, 400), BOX, SCREEN).scale).toBe(1);
    const { scale, x, y } = opening(drawing(10_000, 400), BOX, SCREEN);
    expect(scale).toBeGreaterThan(0.5);
    expect([x + BOX.x * scale, y + BOX.y * scale]).toEqual([400, 200]);
  });

  it("keeps what is under the pointer there while zooming", () => {
    const at = { x: 300, y: 50 };
    const before = { x: 20, y: -10, scale: 0.5 };
    const after = zoomed(before, 2, at);
    expect(after.scale).toBe(1);
    expect((at.x - after.x) / after.scale).toBe((at.x - before.x) / before.scale);
    expect((at.y - after.y) / after.scale).toBe((at.y - before.y) / before.scale);
  });

  it("moves no farther than it must to show a box", () => {
    const camera = { x: 0, y: 0, scale: 1 };
    expect(revealing(camera, { ...BOX, x: 400 }, SCREEN)).toEqual(camera);
    expect(revealing(camera, { ...BOX, x: 750 }, SCREEN)).toEqual({ x: -50, y: 0, scale: 1 });
    expect(revealing(camera, { ...BOX, y: -80 }, SCREEN).y).toBe(100);
  });
});
