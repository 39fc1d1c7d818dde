import { describe, expect, it } from "vitest";
import { BLACK_TEXT, coloursOf, hashOf, luminance, palette, textOn } from "./colour";

describe("colours of names", () => {
  it("are equal for names that differ in digits only", () => {
    expect(hashOf("fusion.12")).toBe(hashOf("fusion.7"));
    expect(hashOf("fusion")).not.toBe(hashOf("copy"));
  });

  it("spread over the palette", () => {
    const names = Array.from(
      { length: 400 },
      (_, i) => `op_${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
    );
    expect(new Set(coloursOf(names, "light")).size).toBeGreaterThan(60);
  });

  it.each(["light", "dark"] as const)("carry readable text in the %s theme", (theme) => {
    for (const pixel of palette(theme)) {
      const light = luminance(pixel) + 0.05;
      const text = textOn(pixel) === BLACK_TEXT ? 0.05 : 1.05;
      expect(Math.max(light, text) / Math.min(light, text)).toBeGreaterThan(4.5);
    }
  });
});
