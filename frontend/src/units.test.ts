import { describe, expect, it } from "vitest";
import { counted, exact, format, formatIn, parseQuantity, scaleOf, scaleOfColumn } from "./units";

describe("a single number", () => {
  it.each([
    [1_500_000, "ps", "1.5 µs"],
    [12_345_678_901, "ps", "12.3 ms"],
    [999, "ps", "999 ps"],
    [999_700_000_000, "ps", "1 s"],
    [0, "ps", "0 ps"],
    [2048, "bytes", "2 KiB"],
    [0.95512, "share", "95.5 %"],
    [0.000004, "share", "<0.001 %"],
    [1234567, "count", "1,234,567"],
    [3.2e12, "flops_per_s", "3.2 TFLOP/s"],
    [2.5, "flops_per_byte", "2.5 FLOP/B"],
    [-1_500_000, "ps", "−1.5 µs"],
    ["text", "", "text"],
    [true, "", "true"],
    [null, "ps", "–"],
  ] as const)("%s %s is shown as %s", (value, unit, text) => {
    expect(format(value, unit)).toBe(text);
  });

  it("counts things by their name", () => {
    expect([0, 1, 1234].map((count) => counted(count, "event"))).toEqual([
      "0 events",
      "1 event",
      "1,234 events",
    ]);
  });

  it("is exact on hover", () => {
    expect(exact(1_500_123, "ps")).toBe("1,500,123 ps");
    expect(exact(-1_234_567, "count")).toBe("−1,234,567");
    expect(exact(0.123456789, "share")).toBe("12.3456789 %");
    expect(exact(null, "ps")).toBe("unknown");
  });
});

describe("a column", () => {
  it("has one unit, that of its median", () => {
    expect(scaleOfColumn([5e8, 7e9, 9e9, null, 0], "ps").label).toBe("ms");
  });

  it("takes a larger unit where the greatest value would be too long", () => {
    expect(scaleOfColumn([5e6, 7e6, 9e13], "ps").label).toBe("s");
    expect(scaleOfColumn([5e6, 7e6, 9e12], "ps").label).toBe("ms");
  });

  it("keeps whole digits of large values", () => {
    expect(formatIn(12_345.6e9, scaleOf(1e9, "ps"))).toBe("12,346");
  });
});

describe("a quantity that was typed", () => {
  it.each([
    ["1.5 ms", "ps", 1.5e9],
    ["20us", "ps", 20e6],
    ["20%", "share", 0.2],
    ["3 MiB", "bytes", 3 * 2 ** 20],
    ["1,234", "count", 1234],
    ["1e3", "", 1000],
    ["fast", "ps", null],
    ["3 apples", "ps", null],
  ] as const)("%s in %s", (text, unit, value) => {
    expect(parseQuantity(text, unit)).toBe(value);
  });

  it("is in the unit of the column where it names none", () => {
    expect(parseQuantity("5", "ps", scaleOf(1e9, "ps"))).toBe(5e9);
  });
});
