import { expect, it } from "vitest";
import { cropped } from "./paint";

/** All letters are ten pixels wide, but for M. */
const context = {
  font: "test",
  measureText: (letter: string) => ({ width: letter === "M" ? 30 : 10 }),
} as CanvasRenderingContext2D;

it("cuts a text where its own letters no longer fit", () => {
  expect(cropped(context, "abcdef", 60)).toBe("abcdef");
  expect(cropped(context, "abcdef", 59)).toBe("abcd…");
  expect(cropped(context, "MaMaMaM", 90)).toBe("MaMa…");
  expect(cropped(context, "x".repeat(100_000), 50)).toBe("xxxx…");
});

it("never cuts within a sign", () => {
  expect(cropped(context, "🚀🔥🚀🔥🚀", 40)).toBe("🚀🔥🚀…");
});

it("says nothing rather than a single letter", () => {
  expect(cropped(context, "abcdef", 29)).toBe("");
  expect(cropped(context, "a", 10)).toBe("a");
});
