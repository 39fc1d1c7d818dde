/** What keys, mouse and buttons do to what is drawn: names stand where their events are, whatever is in view. */
import type { Page } from "@playwright/test";
import { draws, recordDraws } from "./draws";
import { expect, GPU, open, test } from "./test";
import { drag, END, field, heading, MS, pane, point, status, view } from "./timeline";

test.beforeEach(async ({ page, server }) => {
  await recordDraws(page);
  await open(page, server, { run: GPU, tool: "trace_viewer" });
  await expect(status(page)).toContainText("102 events in view");
});

/** The steps whose names are drawn, once each stands at its start, or at the edge of the view where that is before it. */
async function steps(page: Page): Promise<number[]> {
  let found: number[] = [];
  await expect(async () => {
    const { start, end } = await view(page);
    const width = (await field(page).boundingBox())?.width ?? 0;
    const names = (await draws(page)).texts.filter(({ text, y }) => /^train \d$/.test(text) && y < 20);
    found = names.map(({ text }) => Number(text.slice(6)));
    const places = found.map((step) => Math.max(((step * MS - start) / (end - start)) * width, 0) + 4);
    expect(found.length).toBeGreaterThan(0);
    for (const [i, { x }] of names.entries()) expect(Math.abs(x - (places[i] as number))).toBeLessThan(0.5);
  }).toPass();
  return found;
}

async function hold(page: Page, key: string): Promise<void> {
  await page.keyboard.down(key);
  await page.waitForTimeout(400);
  await page.keyboard.up(key);
}

test("W and S zoom at the pointer, A and D move", async ({ page }) => {
  expect(await steps(page)).toEqual([0, 1, 2, 3, 4, 5]);
  const at = await point(page, "python", 2.5 * MS);
  await page.mouse.move(at.x, at.y);
  await hold(page, "w");
  await hold(page, "w");
  await expect(page).toHaveURL(/start_ps/);
  await steps(page);
  const closer = await view(page);
  expect(closer.end - closer.start).toBeLessThan(0.95 * END);
  expect((await point(page, "python", 2.5 * MS)).x).toBeCloseTo(at.x, -1);
  await hold(page, "d");
  await expect.poll(async () => (await view(page)).start).toBeGreaterThan(closer.start);
  await steps(page);
  const right = await view(page);
  await hold(page, "a");
  await expect.poll(async () => (await view(page)).start).toBeLessThan(right.start);
  await steps(page);
  await hold(page, "s");
  await expect
    .poll(async () => (await view(page)).end - (await view(page)).start)
    .toBeGreaterThan(closer.end - closer.start);
  await steps(page);
});

test("a double click fits an event, 0 shows the whole profile, the buttons zoom", async ({ page }) => {
  const { x, y } = await point(page, "python", 2.3 * MS, 0);
  await page.mouse.dblclick(x, y);
  await expect.poll(async () => (await view(page)).start / MS).toBeCloseTo(1.9, 1);
  expect((await view(page)).end / MS).toBeCloseTo(3.09, 1);
  expect(await steps(page)).toContain(2);
  await page.keyboard.press("0");
  await expect(page).not.toHaveURL(/start_ps/);
  expect(await steps(page)).toEqual([0, 1, 2, 3, 4, 5]);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect
    .poll(async () => ((await view(page)).end - (await view(page)).start) / END)
    .toBeCloseTo(0.51, 2);
  expect(await steps(page)).not.toContain(0);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect(page).not.toHaveURL(/start_ps/);
  await page.getByRole("button", { name: "Zoom", exact: true }).click();
  await drag(page, await point(page, "python", 3 * MS), await point(page, "python", 4.9 * MS));
  await expect(page).toHaveURL(/start_ps/);
  expect(await steps(page)).toEqual([3, 4]);
  await page.getByRole("button", { name: "Whole profile" }).click();
  expect(await steps(page)).toEqual([0, 1, 2, 3, 4, 5]);
});

test("moving stops half a screen beyond the profile", async ({ page }) => {
  await page.keyboard.press("2");
  const { y } = await point(page, "python", 1 * MS);
  for (let i = 0; i < 3; i++)
    await drag(page, await point(page, "python", (await view(page)).start + 0.1 * MS), { x: 1270, y });
  const beyond = async (): Promise<number> => {
    const { start, end } = await view(page);
    return start + (end - start) / 2;
  };
  await expect.poll(beyond).toBeCloseTo(0, -6);
  await steps(page);
});

test("n and shift n go from hit to hit, Escape ends the search", async ({ page }) => {
  await page.getByRole("searchbox").fill("relu");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("12 hits");
  await field(page).focus();
  await page.keyboard.press("n");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("1 of 12");
  await page.keyboard.press("n");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("2 of 12");
  await page.keyboard.press("Shift+N");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("1 of 12");
  await page.keyboard.press("Escape");
  await expect(pane(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/search/);
  await expect(page.getByRole("searchbox")).toHaveValue("");
});

test("steps begin with a line through all tracks", async ({ page }) => {
  await steps(page);
  const { start, end } = await view(page);
  const box = await field(page).boundingBox();
  if (!box) throw new Error("no timeline");
  const lines = (await draws(page)).rects.filter(
    ([, y, width, height]) => y === 0 && width === 1 && height > 200,
  );
  const places = lines.map(([x]) => Math.round((start + (x / box.width) * (end - start)) / (MS / 100)) / 100);
  expect([...new Set(places)].map((place) => Math.round(place) + 0)).toEqual([0, 1, 2, 3, 4, 5]);
});

test("flows of the window are drawn when asked for, and a link keeps them", async ({ page }) => {
  const arrows = async (): Promise<number> => (await draws(page)).curves;
  expect(await arrows()).toBe(0);
  const button = page.getByRole("button", { name: "Flows" });
  await button.click();
  await expect(status(page)).toContainText("24 flows drawn"); // three launches and a copy in each of six steps
  await expect.poll(arrows).toBe(24);
  await page.keyboard.press("3");
  await drag(page, await point(page, "python", 1 * MS), await point(page, "python", 2.9 * MS));
  await expect(status(page)).toContainText("8 flows drawn");
  await expect.poll(arrows).toBe(8);
  await page.getByRole("button", { name: "Hide Stream #8" }).click();
  await expect(status(page)).toContainText("6 flows drawn");
  await expect(page).toHaveURL(/flows=true.*hidden=|hidden=.*flows=true/);
  await page.reload();
  await expect.poll(arrows).toBe(6);
  await button.click();
  await expect.poll(arrows).toBe(0);
});

test("a link keeps what is folded, flattened and marked", async ({ page }) => {
  const { x, y } = await point(page, "Stream #7", 3.42 * MS);
  await page.mouse.move(x, y);
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "/device:GPU:0" }).click();
  await page.getByRole("button", { name: "Flatten python" }).click();
  await expect(page).toHaveURL(/flat=/);
  const height = (await heading(page, "python").boundingBox())?.height;
  await page.reload();
  await expect(status(page)).toContainText("in view");
  await expect(heading(page, "Stream #7")).toBeHidden();
  expect((await heading(page, "python").boundingBox())?.height).toBe(height);
  const left = (await field(page).boundingBox())?.x ?? 0;
  const lines = (await draws(page)).rects.filter(([, , width, tall]) => width === 1 && tall > 200);
  expect(lines.some(([at]) => Math.abs(at + left - x) < 1)).toBe(true);
});

test("nothing is drawn while nothing changes", async ({ page }) => {
  await steps(page);
  await page.waitForTimeout(500);
  const { frames } = await draws(page);
  await page.waitForTimeout(500);
  expect((await draws(page)).frames).toBe(frames);
});
