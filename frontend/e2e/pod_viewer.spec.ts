import { expect, open, test, TPU } from "./test";

const PLACE = { run: TPU, tool: "pod_viewer" };

test("the slider chooses a step, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("figure", { name: "Mean step time by worker" })).toBeVisible();
  const slider = page.getByRole("slider", { name: "Step" });
  await expect(slider).toHaveAttribute("aria-valuetext", "mean over all steps");
  await slider.press("ArrowRight");
  await expect(page.getByRole("figure", { name: "Time of step 1 by worker" })).toBeVisible();
  await expect(page).toHaveURL(/step=1/);
  const grid = page.getByRole("grid", { name: "Workers in step 1" });
  await expect(grid.getByRole("row").nth(1)).toContainText("TPU 0");
  await expect(grid.getByRole("row").nth(1)).toContainText("Device compute");
});

test("collectives are listed with their rates", async ({ page, server }) => {
  await open(page, server, PLACE);
  const grid = page.getByRole("grid", { name: "What devices exchange" });
  await expect(grid.getByRole("row").nth(1)).toContainText("all-reduce.3");
});
