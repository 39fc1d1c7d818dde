/** What is hard to draw is drawn, or explained. */
import type { Page } from "@playwright/test";
import { startStandalone, type Server } from "./servers";
import { expect, open, test } from "./test";
import { heading, opacity, pane, point, status } from "./timeline";

const HOUR = 3600e12;
let edges: Server;

test.beforeAll(async ({ logs }) => {
  edges = await startStandalone(logs.folder("edges"));
});

test.afterAll(() => edges.stop());

test.beforeEach(async ({ page }, { title }) => {
  if (title.startsWith("a hundred thousand")) return;
  // Not quite the whole hour, so that the address says what is in view.
  await open(page, edges, { tool: "trace_viewer", start_ps: String(HOUR / 1000), end_ps: String(HOUR) });
  await expect(status(page)).toContainText("10 events in view");
});

async function find(page: Page, text: string): Promise<void> {
  await page.getByRole("searchbox").fill(text);
  await expect(page.getByRole("search").getByRole("status")).toHaveText("1 hit");
  await page.keyboard.press("Enter");
}

test("an instant, and a picosecond of an hour", async ({ page }) => {
  expect(await opacity(page, "main", HOUR / 2, 1)).toBeGreaterThan(40);
  expect(await opacity(page, "main", HOUR / 2 + 60e12, 1)).toBe(0);
  await find(page, "picosecond");
  await expect(pane(page)).toContainText("1 ps");
  await expect(status(page)).toContainText("100 ps from 1799.999999999"); // as close as it gets
  await find(page, "instant");
  await expect(pane(page)).toContainText("0 ps");
});

test("events that overlap without nesting", async ({ page }) => {
  expect(await opacity(page, "crossing", 0.4 * HOUR, 0)).toBe(255);
  expect(await opacity(page, "crossing", 0.4 * HOUR, 1)).toBe(255);
  expect(await opacity(page, "crossing", 0.6 * HOUR, 0)).toBe(0);
  await page.getByRole("button", { name: /remark/ }).click();
  await expect(page.getByText("overlapped another one of the same track")).toBeVisible();
});

test("names from right to left, of signs beyond letters, and of 100 kB", async ({ page }) => {
  for (const name of ["שלום_עולם", "🚀launch🚀", "x".repeat(9000)]) {
    await find(page, name);
    await expect(pane(page).getByRole("heading", { level: 2 })).toContainText(name);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
  const [begin, rest] = await heading(page, "שמות").locator(".tl-name > span").all();
  expect((await begin?.boundingBox())?.x).toBeGreaterThan((await rest?.boundingBox())?.x as number);
});

test("a counter, also where it was no number", async ({ page }) => {
  const card = page.locator(".tl-hover");
  await expect(heading(page, "_counters_")).toBeVisible();
  for (const [time, text] of [
    [0.1, "power: 90"],
    [0.4, "power: no number"],
    [0.7, "power: 30"],
  ] as const) {
    const { x, y } = await point(page, "_counters_", time * HOUR);
    await page.mouse.move(x, y + 8);
    await expect(card).toContainText(text);
  }
});

test("a hundred thousand tracks, down to the last one", async ({ page, logs }) => {
  const crowd = await startStandalone(logs.folder("crowd"));
  await open(page, crowd, { tool: "trace_viewer", start_ps: "600000000", end_ps: "1300000000" });
  await expect(status(page)).toContainText("events in view");
  await expect(page.locator(".tl-section")).toContainText("100,000");
  await page.locator(".tl-scroll").evaluate((scroller) => scroller.scrollTo(0, 1e9));
  await expect(heading(page, "thread 99999")).toBeVisible();
  await expect.poll(() => opacity(page, "thread 99999", 1e9)).toBe(255);
  expect(await page.locator(".tl-track").count()).toBeLessThan(100);
  await page.locator(".tl-scroll").evaluate((scroller) => scroller.scrollTo(0, 0));
  await expect(heading(page, "thread 99999")).toBeHidden();
  await find(page, "last");
  await expect(heading(page, "thread 99999")).toBeVisible();
  await crowd.stop();
});
