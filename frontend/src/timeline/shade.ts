/** What the colour of an event says: its name, its step, how long it takes, or what kind of op it is. */
import type { Theme } from "../theme";
import { coloursOf, GREY, oklch } from "./colour";
import type { Shade } from "./renderer";
import { WHOLE, type Tile } from "./tiles";

export const COLOUR_BY = ["name", "step", "category", "duration"] as const;
export type ColourBy = (typeof COLOUR_BY)[number];

/** Bounds of the steps, picoseconds, in the order of their starts. */
export interface Steps {
  start: Float64Array;
  end: Float64Array;
}

export interface Shading {
  palette: Uint32Array;
  shade: (tile: Tile) => Shade;
  /** What some colours mean; nothing where each name has its own. */
  legend: { label: string; pixel: number }[];
}

/** What the server knows about names and times; empty until it is asked. */
export interface Facts {
  /** Kinds of ops, the longest running first. */
  kinds: readonly string[];
  /** Place in `kinds` of each name, -1 where it is no op. */
  kindOfName: readonly number[];
  steps: Steps;
}

export interface Known {
  names: readonly string[];
  facts: Facts;
  /** Names that a search has found; null while nothing is sought. */
  sought: ReadonlySet<number> | null;
  theme: Theme;
}

const DIMMED = 0x30;
const STEP_COLOURS = 8;
/** Kinds of ops with a colour of their own. */
const KINDS_TOLD = 11;
/** Picoseconds below which an event is in the class. */
const CLASSES: [string, number][] = [
  ["under 1 µs", 1e6],
  ["10 µs", 1e7],
  ["100 µs", 1e8],
  ["1 ms", 1e9],
  ["10 ms", 1e10],
  ["100 ms", 1e11],
  ["longer", Infinity],
];

export function shadingOf(by: ColourBy, known: Known): Shading {
  const { theme } = known;
  if (by === "name") return nameShading(known);
  if (by === "step") {
    const pixels = [GREY[theme], ...ring(STEP_COLOURS, theme)];
    const place = (_name: number, start: number): number => {
      const step = stepAt(known.facts.steps, start);
      return step < 0 ? 0 : 1 + (step % STEP_COLOURS);
    };
    return classShading(pixels, place, known, [{ label: "outside of steps", pixel: pixels[0] as number }]);
  }
  if (by === "duration") {
    const pixels = CLASSES.map((_, i) => ramp(i / (CLASSES.length - 1), theme));
    const place = (_name: number, _start: number, length: number): number =>
      CLASSES.findIndex(([, bound]) => length < bound);
    return classShading(
      pixels,
      place,
      known,
      CLASSES.map(([label], i) => ({ label, pixel: pixels[i] as number })),
    );
  }
  const { kinds, kindOfName } = known.facts;
  const told = kinds.slice(0, KINDS_TOLD);
  const labels = ["no op", "other ops", ...told];
  const pixels = [GREY[theme], ...ring(KINDS_TOLD + 1, theme)];
  const place = (name: number): number => {
    const kind = kindOfName[name] ?? -1;
    return kind < 0 ? 0 : kind < KINDS_TOLD ? 2 + kind : 1;
  };
  const legend = labels.map((label, i) => ({ label, pixel: pixels[i] as number }));
  return classShading(
    pixels,
    place,
    known,
    kinds.length > told.length ? legend : legend.filter((_, i) => i !== 1),
  );
}

/** Shades that are the names themselves. */
export const byName = remembered((tile) => ({ events: tile.eventName, blocks: tile.blockName }));

function nameShading({ names, sought, theme }: Known): Shading {
  const colours = coloursOf(names, theme);
  const palette = sought ? colours.map((pixel, name) => (sought.has(name) ? pixel : dimmed(pixel))) : colours;
  return { palette, shade: byName, legend: [] };
}

/** Shades by `place(name, start, duration)`, a number in `pixels`. Behind those the palette has them once more, dimmed. */
function classShading(
  pixels: number[],
  place: (name: number, start: number, length: number) => number,
  { sought }: Known,
  legend: Shading["legend"],
): Shading {
  const of = (name: number, start: number, length: number): number =>
    place(name, start, length) + (sought && !sought.has(name) ? pixels.length : 0);
  const shade = (tile: Tile): Shade => ({
    events: tile.eventName.map((name, i) => {
      const start = tile.eventStart[i] as number;
      return of(name, tile.start + start, (tile.eventEnd[i] as number) - start);
    }),
    blocks: tile.blockName.map((name, i) => {
      const busy = ((tile.blockBusy[i] as number) / WHOLE) * tile.bin;
      const start = tile.start + (tile.blockColumn[i] as number) * tile.bin;
      return of(name, start, busy / Math.max(tile.blockCount[i] as number, 1));
    }),
  });
  return { palette: Uint32Array.from([...pixels, ...pixels.map(dimmed)]), shade: remembered(shade), legend };
}

/** The step that holds a moment, -1 outside of steps. */
export function stepAt({ start, end }: Steps, time: number): number {
  let low = 0;
  let high = start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((start[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && time < (end[low - 1] as number) ? low - 1 : -1;
}

function remembered(make: (tile: Tile) => Shade): (tile: Tile) => Shade {
  const known = new WeakMap<Tile, Shade>();
  return (tile) => {
    let found = known.get(tile);
    if (!found) known.set(tile, (found = make(tile)));
    return found;
  };
}

const dimmed = (pixel: number): number => ((pixel & 0xffffff) | (DIMMED << 24)) >>> 0;

/** Colours whose neighbours differ in hue and in lightness. */
function ring(count: number, theme: Theme): number[] {
  const [light, deep] = theme === "light" ? [0.84, 0.68] : [0.66, 0.5];
  return Array.from({ length: count }, (_, i) =>
    oklch((i % 2 ? deep : light) as number, 0.11, (i * 2 * Math.PI) / count + 0.6),
  );
}

/** From pale to deep, by lightness before all: `part` is 0 to 1. */
function ramp(part: number, theme: Theme): number {
  const [from, to] = theme === "light" ? [0.9, 0.5] : [0.4, 0.8];
  return oklch(
    (from as number) + part * ((to as number) - (from as number)),
    0.03 + 0.11 * part,
    4.4 - 3.6 * part,
  );
}
