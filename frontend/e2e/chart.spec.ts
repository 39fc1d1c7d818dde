import { readFileSync } from "node:fs";
import { expect, GPU, open, test, TPU } from "./test";

test("the hover card lists all series, the legend switches them", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const chart = page.getByRole("figure").first();
  const canvas = chart.locator("canvas").first();
  const card = page.locator(".chart-card-hover");
  await expect(async () => {
    await page.mouse.move(0, 0);
    await canvas.hover();
    await expect(card).toContainText("Device compute", { timeout: 500 });
  }).toPass();
  await expect(card).toContainText("Together");
  const input = chart.getByRole("button", { name: "Input" });
  await input.click();
  await expect(input).toHaveAttribute("aria-pressed", "false");
  await canvas.hover({ position: { x: 200, y: 120 } });
  await expect(card).not.toContainText("Input");
});

test("a step leads to its time on the timeline", async ({ page, server }) => {
  await open(page, server, { run: TPU });
  const canvas = page.getByRole("figure").first().locator("canvas").first();
  const box = await canvas.boundingBox();
  if (!box) throw new Error("no chart");
  await canvas.click({ position: { x: box.width / 2, y: box.height - 80 } });
  await expect(page).toHaveURL(/tag=trace_viewer&start_ps=\d+&end_ps=\d+/);
});

test("is also a table, for who cannot see it", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const chart = page.getByRole("figure").first();
  await chart.getByRole("button", { name: /as a table$/ }).click();
  await expect(chart.getByRole("grid").getByRole("columnheader", { name: /^Input/ })).toBeVisible();
});

test("is taken away as PNG, SVG and CSV", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const chart = page.getByRole("figure").first();
  const save = async (kind: string): Promise<Buffer> => {
    const downloading = page.waitForEvent("download");
    await chart.getByRole("button", { name: /^Export/ }).click();
    await page.getByRole("button", { name: `Download ${kind}` }).click();
    return readFileSync(await (await downloading).path());
  };
  expect((await save("PNG")).subarray(1, 4).toString()).toBe("PNG");
  const svg = (await save("SVG")).toString();
  expect(svg).toMatch(/^<svg/);
  expect(svg).toContain("Device compute");
  expect((await save("CSV")).toString()).toMatch(/^step,device_compute \[ps\]/);
});

test("many steps are zoomed with Ctrl and the wheel, and shown whole again", async ({ page, server }) => {
  const steps = Array.from({ length: 200 }, (_, step) => String(step));
  await page.route("**/data?**", async (route) => {
    const answer = await (await route.fetch()).json();
    answer.tables.steps.rows = steps.length;
    for (const column of answer.tables.steps.columns) {
      column.values =
        column.name === "step" ? steps : steps.map((_, index) => column.values[index % column.values.length]);
    }
    await route.fulfill({ json: answer });
  });
  await open(page, server, { run: TPU });
  const chart = page.getByRole("figure").first();
  await chart
    .locator("canvas")
    .first()
    .hover({ position: { x: 300, y: 120 } });
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await chart.getByRole("button", { name: "Show all" }).click();
  await expect(chart.getByRole("button", { name: "Show all" })).toBeHidden();
});
