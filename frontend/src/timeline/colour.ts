/** Colours of events: one per name, steady over sessions, told apart by hue and by lightness. */
import type { Theme } from "../theme";

const HUES = 24;
const SHADES: Record<Theme, readonly number[]> = { light: [0.79, 0.86, 0.72], dark: [0.58, 0.66, 0.5] };
const CHROMA: Record<Theme, number> = { light: 0.095, dark: 0.095 };

/** Of what has no colour of its own. */
export const GREY: Record<Theme, number> = { light: 0xffcfc8c0, dark: 0xff6b6258 };

export const BLACK_TEXT = "#000000";
export const WHITE_TEXT = "#ffffff";

/** A number for a name; names that differ only in digits (`fusion.12`, `fusion.7`) share it. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 48 && code <= 57) continue;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Colours as pixels, 0xAABBGGRR with a full alpha, by what `hashOf` gives modulo the length. */
export function palette(theme: Theme): Uint32Array {
  const colours = new Uint32Array(HUES * 3);
  for (let i = 0; i < colours.length; i++) {
    const lightness = SHADES[theme][Math.floor(i / HUES)] as number;
    colours[i] = oklch(lightness, CHROMA[theme], ((i % HUES) * 2 * Math.PI) / HUES);
  }
  return colours;
}

/** The colour of each name, as a pixel. */
export function coloursOf(names: readonly string[], theme: Theme): Uint32Array {
  const colours = palette(theme);
  return Uint32Array.from(names, (name) => colours[hashOf(name) % colours.length] as number);
}

/** Black or white, whichever is easier to read on a pixel. */
export function textOn(pixel: number): string {
  const light = luminance(pixel);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? BLACK_TEXT : WHITE_TEXT;
}

/** Relative luminance as the contrast rules define it. */
export function luminance(pixel: number): number {
  const part = (shift: number): number => {
    const value = ((pixel >>> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(8) + 0.0722 * part(16);
}

export function css(pixel: number): string {
  return `rgb(${pixel & 255} ${(pixel >>> 8) & 255} ${(pixel >>> 16) & 255})`;
}

/** A pixel from lightness 0 to 1, chroma, and hue in radians; equal steps look equally far apart. */
export function oklch(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

function channel(linear: number): number {
  const value = Math.min(Math.max(linear, 0), 1);
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
}
