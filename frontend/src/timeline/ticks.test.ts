import { describe, expect, it } from "vitest";
import { formatSpan, formatTime, tickLabel, ticksOf } from "./ticks";

const labels = (start: number, perPixel: number, count: number): string[] => {
  const ticks = ticksOf(start, perPixel, 100);
  return Array.from({ length: count }, (_, i) => tickLabel(ticks, ticks.first + i * ticks.step));
};

describe("ticks", () => {
  it("are at round times", () => {
    expect(labels(0, 1e9, 4)).toEqual(["0 ms", "100 ms", "200 ms", "300 ms"]);
    expect(labels(0, 1.7e7, 3)).toEqual(["0 ms", "2 ms", "4 ms"]);
    expect(labels(0.3e12, 4e9, 3)).toEqual(["500 ms", "1000 ms", "1500 ms"]);
    expect(labels(49.12e12, 4e8, 3)).toEqual(["49.15 s", "49.20 s", "49.25 s"]);
  });

  it("count from a base when the view is far from the start", () => {
    expect(labels(5.439_000_5e12, 1e4, 3)).toEqual(["+1 µs", "+2 µs", "+3 µs"]);
    expect(ticksOf(5.439_000_5e12, 1e4, 100).base).toBe(5.439e12);
  });

  it("are never closer than a picosecond", () => {
    expect(ticksOf(0, 0.001, 100).step).toBe(1);
  });
});

describe("times", () => {
  it("have the digits that the view can tell apart", () => {
    expect(formatTime(5_439_000_512_000, 1000)).toBe("5.439000512 s");
    expect(formatTime(1_500_000, 1e6)).toBe("1.5 µs");
    expect(formatTime(1_320_000_000, 1000)).toBe("1.32 ms");
    expect(formatTime(0, 1e9)).toBe("0 s");
    expect(formatSpan(1_234_567)).toBe("1.235 µs");
    expect(formatSpan(3 * 3600e12)).toBe("10,800 s");
    expect(formatSpan(200_000_000)).toBe("200 µs");
    expect(formatSpan(123_456_789)).toBe("123.5 µs");
  });
});
