/** Times along the ruler. */
import { scaleOf, type Scale } from "../units";

export interface Ticks {
  /** Picoseconds between ticks. */
  step: number;
  /** Of the first tick in view. */
  first: number;
  /** What the labels count from; 0 where they are times since the start of the profile. */
  base: number;
  scale: Scale;
}

const STEPS = [1, 2, 5, 10];
/** Labels with more decimals than this are counted from a base instead. */
const MOST_DECIMALS = 3;

/** Ticks at least `spacing` pixels apart. */
export function ticksOf(start: number, perPixel: number, spacing: number): Ticks {
  const least = perPixel * spacing;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, (STEPS.find((factor) => factor * power >= least * 0.999999) as number) * power);
  const first = Math.ceil(start / step) * step;
  const direct = scaleOf(Math.max(first, step), "ps");
  if (decimalsOf(direct, step) <= MOST_DECIMALS) return { step, first, base: 0, scale: direct };
  const base = Math.floor(first / (step * 1000)) * step * 1000;
  return { step, first, base, scale: scaleOf(Math.max(first - base, step), "ps") };
}

function decimalsOf(scale: Scale, step: number): number {
  return Math.max(0, Math.ceil(Math.log10(scale.factor / step) - 1e-9));
}

/** Text of the tick at `time`. */
export function tickLabel(ticks: Ticks, time: number): string {
  const value = time - ticks.base;
  const text = fixed(value / ticks.scale.factor, decimalsOf(ticks.scale, ticks.step));
  return `${ticks.base > 0 ? "+" : ""}${text} ${ticks.scale.label}`;
}

/** A point in time with the digits that tell `resolution` apart, but no zeros at their end. */
export function formatTime(time: number, resolution: number): string {
  if (time === 0) return "0 s";
  const scale = scaleOf(time, "ps");
  const decimals = Math.min(12, Math.max(2, Math.ceil(Math.log10(scale.factor / Math.max(resolution, 1)))));
  return `${trimmed(fixed(time / scale.factor, decimals))} ${scale.label}`;
}

/** A length of time, four significant figures. */
export function formatSpan(ps: number): string {
  const scale = scaleOf(ps, "ps");
  const value = ps / scale.factor;
  return `${Math.abs(value) < 1000 ? trimmed(value.toPrecision(4).replace("-", "−")) : fixed(value, 0)} ${scale.label}`;
}

/** With `decimals` digits behind the point, and from 10,000 on with marks between the thousands. */
function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals).replace("-", "−");
  if (Math.abs(value) < 10_000) return text;
  const [whole = "", part] = text.split(".");
  const marked = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? marked : `${marked}.${part}`;
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
