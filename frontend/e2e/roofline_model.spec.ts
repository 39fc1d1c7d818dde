import { expect, open, test, TPU } from "./test";

const PLACE = { run: TPU, tool: "roofline_model" };

test("draws ops and steps under the roof of the device", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("figure", { name: "Roofline of HLO ops" }).locator("canvas")).toBeVisible();
  await expect(page.getByRole("figure", { name: "Roofline of the program and its steps" })).toBeVisible();
  await expect(page.getByRole("grid", { name: "Program and steps" })).toContainText("Average");
});

test("a chart can be read as a table with the names of its marks", async ({ page, server }) => {
  await open(page, server, PLACE);
  const figure = page.getByRole("figure", { name: "Roofline of HLO ops" });
  await figure.getByRole("button", { name: "Show Roofline of HLO ops as a table" }).click();
  await expect(figure.getByRole("grid")).toContainText("fusion.2");
});

test("infeed and outfeed can be left out, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  const ops = page.getByRole("grid", { name: "HLO ops" });
  await expect(ops.getByText("infeed.1")).toHaveCount(1);
  await page.getByLabel("Infeed and outfeed").uncheck();
  await expect(ops.getByText("infeed.1")).toHaveCount(0);
  await expect(page).toHaveURL(/infeed_outfeed=false/);
});

test("a row of the table stands out while its mark is pointed at", async ({ page, server }) => {
  await open(page, server, PLACE);
  const chart = page.getByRole("slider", { name: /^Roofline of HLO ops/ });
  await chart.focus();
  await page.keyboard.press("Home");
  const marked = page.getByRole("grid", { name: "HLO ops" }).locator(".marked");
  await expect(marked).toHaveCount(1);
  const name = await marked.getByRole("gridcell").nth(0).textContent();
  await expect(chart).toHaveAttribute("aria-valuetext", new RegExp(`^${name}`));
  await page.keyboard.press("Escape");
  await expect(marked).toHaveCount(0);
});

test("the chart shows what the filter of its table leaves", async ({ page, server }) => {
  await open(page, server, { ...PLACE, "filter.operation": "fusion.2" });
  const figure = page.getByRole("figure", { name: "Roofline of HLO ops" });
  await figure.getByRole("button", { name: "Show Roofline of HLO ops as a table" }).click();
  await expect(figure.getByRole("grid")).toContainText("fusion.2");
  await expect(figure.getByRole("grid")).not.toContainText("infeed.1");
});

test("the ops of one step are shown where it is picked", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("button", { name: /^Ops of/ }).click();
  await page.getByRole("option").nth(1).click();
  await expect(page).toHaveURL(/step=/);
  await expect(page.getByRole("grid", { name: /^HLO ops of step/ })).toBeVisible();
});
