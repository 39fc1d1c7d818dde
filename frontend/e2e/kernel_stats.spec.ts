import { expect, GPU, open, test, TPU, violations } from "./test";

const PLACE = { run: GPU, tool: "kernel_stats" };

test("kernels come by total time, with pies of kernels and ops", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("figure")).toHaveCount(2);
  const grid = page.getByRole("grid", { name: "Kernels by launch configuration" });
  await expect(grid.getByRole("row").nth(1)).toContainText("conv_fprop_f16");
  await expect(grid.getByRole("row").nth(1)).toContainText("model/conv");
  expect(await violations(page)).toEqual([]);
});

test("kernels are grouped by name or op, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("tab", { name: "By op" }).click();
  await expect(page).toHaveURL(/group=by_op/);
  await expect(page.getByRole("grid", { name: "Kernels by op" })).toContainText("model/dense");
});

test("a profile without a GPU says why", async ({ page, server }) => {
  await open(page, server, { run: TPU, tool: "kernel_stats" });
  await expect(page.getByText("The profile has no GPU.").first()).toBeVisible();
});
