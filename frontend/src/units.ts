/** Numbers for people: three significant figures, one unit per column. Names of units as in `profiler_plugin/units.py`. */
import type { Unit, Value } from "./result";

export interface Scale {
  /** Value of one shown unit, in the unit of the data. */
  factor: number;
  /** Shown behind a value and in headings: "ms", "MiB", "%", or empty. */
  label: string;
}

/** The least number that is 1 with three significant figures. */
const ROUNDS_TO_ONE = 0.9995;

const PLAIN: Scale = { factor: 1, label: "" };

function ladder(labels: string[], step: number): Scale[] {
  return labels.map((label, power) => ({ factor: step ** power, label }));
}

const SI = ["", "k", "M", "G", "T", "P"];

/** Scales of a unit, smallest first. */
const SCALES: Record<Unit, Scale[]> = {
  "": [PLAIN],
  count: [PLAIN],
  share: [{ factor: 0.01, label: "%" }],
  ps: ladder(["ps", "ns", "µs", "ms", "s"], 1000),
  bytes: ladder(["B", "KiB", "MiB", "GiB", "TiB"], 1024),
  flops_per_s: ladder(
    SI.map((prefix) => `${prefix}FLOP/s`),
    1000,
  ),
  bytes_per_s: ladder(["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"], 1024),
  flops_per_byte: [{ factor: 1, label: "FLOP/B" }],
};

/** The unit in which one value reads best: the largest that leaves at least 1 when rounded. */
export function scaleOf(value: number, unit: Unit): Scale {
  const scales = SCALES[unit];
  return scales.findLast((scale) => Math.abs(value) >= ROUNDS_TO_ONE * scale.factor) ?? (scales[0] as Scale);
}

/**
 * One unit for a whole column: the best one of the median, which stays readable for most rows, or a larger one where the
 * greatest value would need more than four whole digits.
 */
export function scaleOfColumn(values: readonly Value[], unit: Unit): Scale {
  const scales = SCALES[unit];
  const sizes = values
    .filter((value): value is number => typeof value === "number" && value !== 0)
    .map(Math.abs);
  if (sizes.length === 0) return scales[unit === "ps" ? 3 : 0] ?? PLAIN;
  sizes.sort((a, b) => a - b);
  const median = scaleOf(sizes[sizes.length >> 1] as number, unit);
  const greatest = sizes.at(-1) as number;
  const fits = scales.find((scale) => greatest / scale.factor < 10_000) ?? (scales.at(-1) as Scale);
  return median.factor >= fits.factor ? median : fits;
}

/** `value` in `scale`, three significant figures, without the unit. Whole digits are never rounded away. */
export function formatIn(value: number, scale: Scale): string {
  const scaled = value / scale.factor;
  const size = Math.abs(scaled);
  if (size === 0) return "0";
  if (size < 0.001) return scaled < 0 ? ">−0.001" : "<0.001";
  if (size >= 100) return grouped(Math.round(scaled));
  return trimmed(scaled.toPrecision(size < 0.01 ? 2 : 3));
}

/** `value` in the unit that fits it: `format(1_500_000, "ps") === "1.5 µs"`. */
export function format(value: Value, unit: Unit): string {
  if (value === null) return "–";
  if (typeof value !== "number") return String(value);
  if (unit === "count" || (unit === "" && Number.isInteger(value))) return grouped(value);
  const scale = scaleOf(value, unit);
  return withUnit(formatIn(value, scale), scale);
}

/** `counted(1, "step") === "1 step"`. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : several}`;
}

/** `value` in full, with the unit of the data: what hovering a rounded number shows. */
export function exact(value: Value, unit: Unit): string {
  if (value === null) return "unknown";
  if (typeof value !== "number") return String(value);
  const shown = unit === "share" ? value * 100 : value;
  const text = Number.isInteger(shown) ? grouped(shown) : String(Number(shown.toPrecision(15)));
  const label = unit === "share" ? "%" : (SCALES[unit]?.[0]?.label ?? "");
  return label ? `${text} ${label}` : text;
}

export function withUnit(text: string, scale: Scale): string {
  return scale.label ? `${text} ${scale.label}` : text;
}

/** With commas and at most three decimals. `Intl` would do the same, but starting it takes 10 ms. */
function grouped(value: number): string {
  const [whole, part] = String(Number.isInteger(value) ? value : Math.round(value * 1000) / 1000).split(".");
  const text = (whole as string).replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");
  return part ? `${text}.${part}` : text;
}

function trimmed(text: string): string {
  return text
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "")
    .replace("-", "−");
}

/**
 * Reads "1.5 ms", "20%", "3 MiB" or "42" as a number in the unit of the data; null for anything else.
 * A number without a unit is in `plain`.
 */
export function parseQuantity(text: string, unit: Unit, plain: Scale = PLAIN): number | null {
  const match = /^\s*([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*(\S*)\s*$/i.exec(text.replace("−", "-"));
  if (!match) return null;
  const value = Number((match[1] as string).replaceAll(",", ""));
  const label = (match[2] as string).replace(/^us$/i, "µs").toLowerCase();
  const scale =
    label === "" ? plain : SCALES[unit].find((candidate) => candidate.label.toLowerCase() === label);
  return scale ? value * scale.factor : null;
}
