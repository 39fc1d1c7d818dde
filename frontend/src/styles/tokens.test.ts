import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

type Rgb = [number, number, number];

const CSS = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const [LIGHT, DARK] = CSS.split(':root[data-theme="dark"]').map(coloursOf) as [
  Map<string, Rgb>,
  Map<string, Rgb>,
];

function coloursOf(css: string): Map<string, Rgb> {
  return new Map(
    [...css.matchAll(/--([\w-]+): #([0-9a-f]{6});/g)].map(([, name, hex]) => [
      name as string,
      [0, 2, 4].map((at) => parseInt((hex as string).slice(at, at + 2), 16) / 255) as Rgb,
    ]),
  );
}

function linear([r, g, b]: Rgb): Rgb {
  const one = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return [one(r), one(g), one(b)];
}

function contrast(a: Rgb, b: Rgb): number {
  const luminance = (colour: Rgb): number => {
    const [r, g, blue] = linear(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Machado, Oliveira and Fernandes 2009, full severity, on linear RGB. */
const SIGHTS: Record<string, number[][]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function seen(colour: Rgb, sight: number[][]): Rgb {
  const rgb = linear(colour);
  return sight.map((line) =>
    Math.max(
      0,
      line.reduce((sum, weight, i) => sum + weight * (rgb[i] as number), 0),
    ),
  ) as Rgb;
}

/** Distance in OKLab, about 0.02 for two colours that can just be told apart. */
function distance(a: Rgb, b: Rgb): number {
  const lab = ([r, g, blue]: Rgb): number[] => {
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * blue);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * blue);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * blue);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  const [x, y] = [lab(a), lab(b)] as [number[], number[]];
  return Math.hypot(...x.map((value, i) => value - (y[i] as number)));
}

/** Classes of step time in the order in which they are stacked. */
const STACK = [3, 5, 4, 1, 2, 7, 6, 8].map((number) => `chart-${number}`).concat("chart-rest");

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
])("in the %s theme", (_, colours) => {
  const get = (name: string): Rgb => {
    const colour = colours.get(name);
    if (!colour) throw new Error(`no colour ${name}`);
    return colour;
  };

  it.each([
    [
      "text",
      [
        "ground",
        "surface",
        "raised",
        "sunken",
        "hover",
        "selected",
        "bar",
        "info-ground",
        "warning-ground",
        "error-ground",
      ],
    ],
    [
      "text-muted",
      [
        "ground",
        "surface",
        "raised",
        "hover",
        "selected",
        "info-ground",
        "warning-ground",
        "error-ground",
        "good-ground",
      ],
    ],
    ["text-faint", ["surface", "raised"]],
    ["accent", ["ground", "surface", "raised", "info-ground", "warning-ground", "error-ground"]],
    ["accent-text", ["accent"]],
    ["info", ["info-ground", "surface"]],
    ["warning", ["warning-ground", "surface"]],
    ["error", ["error-ground", "surface"]],
    ["good", ["good-ground", "surface"]],
  ])("%s can be read on every ground it stands on", (ink, grounds) => {
    for (const ground of grounds)
      expect([ground, contrast(get(ink), get(ground))], ground).toSatisfy(([, ratio]) => ratio >= 4.5);
  });

  it("categories stand out from the surface", () => {
    for (const name of [...colours.keys()].filter((name) => name.startsWith("chart-"))) {
      expect(contrast(get(name), get("surface")), name).toBeGreaterThan(3);
    }
  });

  it.each(Object.entries(SIGHTS))("parts stacked on each other can be told apart with %s", (_name, sight) => {
    STACK.slice(1).forEach((name, index) => {
      const below = STACK[index] as string;
      expect(
        distance(seen(get(name), sight), seen(get(below), sight)),
        `${below} and ${name}`,
      ).toBeGreaterThan(0.06);
    });
  });
});
