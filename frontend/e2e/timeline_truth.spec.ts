/** What is on screen is what a brute-force reading of the events says, with a graphics card and without one. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { random } from "../src/timeline/samples";
import { FAINTEST } from "../src/timeline/renderer";
import { recordDraws } from "./draws";
import { startStandalone, type Server } from "./servers";
import { expect, open, test } from "./test";
import { field, heading, status } from "./timeline";

type Event = [start: number, end: number];

const END = 1e9;
const WINDOWS = 5;
/** Opacity is in steps of 1/255. */
const STEP = 0.02;

let server: Server;
let tracks: [string, Event[]][];

test.beforeAll(async ({ logs }) => {
  tracks = Object.entries(
    JSON.parse(readFileSync(logs.folder("chance.json"), "utf8")) as Record<string, Event[]>,
  );
  server = await startStandalone(logs.folder("chance"));
});

test.afterAll(() => server.stop());

/** Opacity of the pixels of each track's lane, 0 to 255. */
async function rows(page: Page): Promise<number[][]> {
  const top = (await field(page).boundingBox())?.y ?? 0;
  const heights = await Promise.all(
    tracks.map(async ([name]) => ((await heading(page, name).boundingBox())?.y ?? 0) - top + 9),
  );
  return page.locator("[data-renderer] canvas").evaluate((canvas: HTMLCanvasElement, heights) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
    if (!copy) throw new Error("no canvas");
    copy.drawImage(canvas, 0, 0);
    return heights.map((y) => {
      const { data } = copy.getImageData(0, Math.round(y), canvas.width, 1);
      return Array.from({ length: canvas.width }, (_, x) => data[4 * x + 3] as number);
    });
  }, heights);
}

/** Share of each pixel's time that events cover. */
function covered(events: Event[], start: number, scale: number, width: number): number[] {
  const shares = new Array<number>(width).fill(0);
  for (const [begin, end] of events) {
    const [left, right] = [(begin - start) / scale, (end - start) / scale];
    for (let x = Math.max(Math.floor(left), 0); x < Math.min(Math.ceil(right), width); x++)
      shares[x] = (shares[x] as number) + Math.min(right, x + 1) - Math.max(left, x);
  }
  return shares;
}

/** What is wrong with a lane, nothing if it is as the events say. */
function faults(opacity: number[], events: Event[], start: number, scale: number): string[] {
  const width = opacity.length;
  const truth = covered(events, start, scale, width);
  const shown = opacity.map((value) => Math.max((value / 255 - FAINTEST) / (1 - FAINTEST), 0));
  const around = (values: number[], x: number): number =>
    (values[x - 1] ?? 1) + (values[x] as number) + (values[x + 1] ?? 1);
  const found: string[] = [];
  for (let x = 0; x < width; x++) {
    if ((shown[x] as number) > around(truth, x) + STEP) found.push(`pixel ${x} shows too much`);
    if ((truth[x] as number) > around(shown, x) + STEP) found.push(`pixel ${x} shows too little`);
  }
  const touched = new Uint8Array(width);
  for (const [begin, end] of events) {
    const [left, right] = [(begin - start) / scale, (end - start) / scale];
    if (right < 0 || left >= width) continue;
    touched.fill(1, Math.max(Math.floor(left) - 1, 0), Math.max(Math.floor(right) + 2, 0));
    const seen = opacity.slice(Math.max(Math.floor(left) - 1, 0), Math.floor(right) + 2);
    if (left >= 1 && !seen.some((value) => value > 0)) found.push(`the event at ${begin} is not shown`);
    if (right - left < 1) continue;
    const inside = opacity.slice(Math.max(Math.ceil(left), 0), Math.max(Math.floor(right), 0));
    if (inside.some((value) => value < 254)) found.push(`the event at ${begin} is not whole`);
  }
  opacity.forEach((value, x) => {
    if (value > 0 && !touched[x]) found.push(`pixel ${x} shows what is not there`);
  });
  return found;
}

for (const renderer of ["scanline", "webgl"]) {
  test(`by ${renderer}: wide events whole, busy shares within a pixel, nothing else`, async ({ page }) => {
    await recordDraws(page);
    const next = random(23);
    for (let round = 0; round < WINDOWS; round++) {
      const span = Math.round(END * 10 ** (-4 * next()));
      const start = Math.round(next() * (END - span));
      await page.goto("about:blank");
      const place = { start_ps: String(start), end_ps: String(start + span), renderer };
      await open(page, server, { tool: "trace_viewer", ...place });
      await expect(status(page)).toContainText("in view");
      await expect(async () => {
        const lanes = await rows(page);
        const scale = span / (lanes[0]?.length ?? 1);
        const wrong = lanes.map((lane, i) => faults(lane, tracks[i]?.[1] ?? [], start, scale));
        expect(wrong).toEqual(tracks.map(() => []));
      }).toPass({ timeout: 15_000 });
    }
  });
}
