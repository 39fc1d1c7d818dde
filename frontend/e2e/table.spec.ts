import type { Locator, Page } from "@playwright/test";
import { expect, KERAS, open, test, TPU } from "./test";

const PLACE = { run: KERAS, tool: "framework_op_stats" };

function parts(page: Page): { card: Locator; grid: Locator } {
  const card = page.getByRole("region", { name: "Operations" });
  return { card, grid: card.getByRole("grid") };
}

/** Texts of one column of the rows that are drawn. */
async function column(grid: Locator, name: string): Promise<string[]> {
  const headings = await grid.getByRole("columnheader").allInnerTexts();
  const index = headings.findIndex((heading) => heading.startsWith(name));
  return grid
    .locator(".grid-body [role=row]")
    .evaluateAll((rows, at) => rows.map((row) => row.children[at]?.textContent ?? ""), index);
}

test("sorts by header, turns round, and by a second column with Shift", async ({ page, server }) => {
  await open(page, server, PLACE);
  const { grid } = parts(page);
  const header = grid.getByRole("columnheader", { name: "Occurrences" });
  await header.click();
  await expect(header).toHaveAttribute("aria-sort", "descending");
  const numbers = (await column(grid, "Occurrences")).map((text) => Number(text.replaceAll(",", "")));
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  await header.click();
  await expect(header).toHaveAttribute("aria-sort", "ascending");
  await grid.getByRole("columnheader", { name: "Type" }).click({ modifiers: ["Shift"] });
  await expect(header).toHaveText(/▴1/);
});

test("searches all texts and filters columns with units", async ({ page, server }) => {
  await open(page, server, PLACE);
  const { card, grid } = parts(page);
  await card.getByRole("searchbox").fill("conv !grad");
  for (const name of await column(grid, "Operation")) expect(name.toLowerCase()).toMatch(/conv/);
  await card.getByRole("searchbox").fill("");
  await card.getByRole("button", { name: "Filter columns" }).click();
  await card.getByLabel("Filter Occurrences").fill("> 1000000000");
  await expect(card.getByText("No row passes the search and the filters.")).toBeVisible();
  await card.getByRole("button", { name: "Filter columns" }).click();
  await expect(card.getByText("No row passes the search and the filters.")).toBeHidden();
});

test("cuts long texts where there is no room for them", async ({ page, server }) => {
  await page.setViewportSize({ width: 1240, height: 800 });
  await open(page, server, { run: KERAS, tool: "input_pipeline_analyzer" });
  const grid = page.getByRole("grid", { name: "Input ops" });
  await grid.scrollIntoViewIfNeeded();
  expect(await grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await expect(grid.getByRole("columnheader", { name: "Stage" })).toBeInViewport({ ratio: 1 });
});

test("what ops take and what bounds them is in view, and their names stay beside what else one scrolls to", async ({
  page,
  server,
}) => {
  await open(page, server, { run: TPU, tool: "hlo_stats" });
  const grid = page.getByRole("grid", { name: "HLO ops" });
  await grid.scrollIntoViewIfNeeded();
  const header = (name: string): Locator => grid.getByRole("columnheader", { name });
  for (const name of ["Operation", "Self time", "Share", "FLOP rate", "Memory bandwidth", "Bound by"])
    await expect(header(name).first()).toBeInViewport({ ratio: 1 });
  await expect(header("Source")).not.toBeInViewport();

  await grid.focus();
  await page.keyboard.press("End");
  await expect(header("Rank")).not.toBeInViewport();
  await expect(header("Operation")).toBeInViewport({ ratio: 1 });
  await expect(grid.getByRole("gridcell", { name: "fusion.2" }).first()).toBeInViewport({ ratio: 1 });
});

test("is walked through with the keyboard, copies cells and opens their menu", async ({ page, server }) => {
  await open(page, server, PLACE);
  const { grid } = parts(page);
  await grid.focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  const name = (await column(grid, "Operation"))[1] ?? "";
  await expect(page.getByRole("tooltip")).toHaveText(name);
  await page.keyboard.press("Control+c");
  await expect(page.getByText("Cell copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(name);

  await page.keyboard.press("Control+End");
  const last = Number(await grid.getAttribute("aria-rowcount")) - 1;
  await expect(grid.locator(`[aria-rowindex="${last}"]`)).toBeInViewport();

  await page.keyboard.press("Control+Home");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "Show only this" }).click();
  await expect(grid).toHaveAttribute("aria-rowcount", "3");
});

test("columns are chosen and resized", async ({ page, server }) => {
  await open(page, server, PLACE);
  const { card, grid } = parts(page);
  await card.getByRole("button", { name: "Choose columns" }).click();
  await page.getByLabel("Rank").uncheck();
  await expect(grid.getByRole("columnheader", { name: "Rank" })).toHaveCount(0);
  await page.keyboard.press("Escape");

  const header = grid.getByRole("columnheader", { name: "Occurrences" });
  const before = (await header.boundingBox())?.width ?? 0;
  const edge = await header.locator(".grid-resize").boundingBox();
  if (!edge) throw new Error("no edge to drag");
  await page.mouse.move(edge.x + 3, edge.y + 5);
  await page.mouse.down();
  await page.mouse.move(edge.x + 63, edge.y + 5);
  await page.mouse.up();
  expect((await header.boundingBox())?.width).toBeCloseTo(before + 60, -1);
});

test("a name leads to the timeline", async ({ page, server }) => {
  await open(page, server, PLACE);
  const { grid } = parts(page);
  await grid.locator(".grid-body [role=row]").first().getByRole("gridcell").nth(3).click();
  await page.getByRole("link", { name: "Find in the timeline" }).click();
  await expect(page).toHaveURL(/tag=trace_viewer&search=/);
});

test("of a hundred thousand rows only those in view are drawn, wherever one scrolls", async ({
  page,
  server,
}) => {
  const rows = 100_000;
  const name = { name: "operation", type: "string", unit: "", label: "Operation", description: "" };
  const time = { name: "total_self_time", type: "number", unit: "ps", label: "Self time", description: "" };
  const columns = [
    { ...name, values: Array.from({ length: rows }, (_, row) => `layer_${(row * 7919) % rows}/conv`) },
    ...Array.from({ length: 11 }, (_, index) => ({
      ...time,
      name: `time_${index}`,
      label: `Time ${index}`,
      values: Array.from({ length: rows }, (_, row) => (row * 104_729) % 1_000_003),
    })),
  ];
  const result = {
    tool: "framework_op_stats",
    run: KERAS,
    host: "host",
    metrics: [],
    charts: [],
    notes: [],
    tables: { ops: { label: "", rows, columns } },
  };
  await page.route("**/data?**", (route) => route.fulfill({ json: result }));
  await open(page, server, PLACE);
  const { grid } = parts(page);
  await expect(grid).toHaveAttribute("aria-rowcount", String(rows + 1));

  const rowsDrawn = grid.locator(".grid-body [role=row]");
  await grid.getByRole("columnheader", { name: "Time 0" }).click();
  await expect(rowsDrawn.first()).toContainText("layer_");
  await grid.evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2;
  });
  await expect
    .poll(async () => Number(await rowsDrawn.first().getAttribute("aria-rowindex")))
    .toBeGreaterThan(rows / 3);
  expect(await rowsDrawn.count()).toBeLessThan(80);
});
