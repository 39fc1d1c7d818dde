import { expect, JAX, KERAS, open, test, TPU } from "./test";

test("shows ops with what bounds them, and pies of where their time goes", async ({ page, server }) => {
  await open(page, server, { run: TPU, tool: "hlo_stats" });
  await expect(page.getByRole("figure", { name: "Self time of categories" })).toBeVisible();
  const grid = page.getByRole("grid", { name: "HLO ops" });
  await expect(grid).toHaveAttribute("aria-rowcount", "5");
  await expect(grid.getByRole("row").nth(1)).toContainText("fusion.2");
  await expect(grid.getByRole("row").nth(1)).toContainText("Compute");
});

test("says why a profile has none", async ({ page, server }) => {
  await open(page, server, { run: KERAS, tool: "hlo_stats" });
  await expect(page.getByText("No device of this profile ran an HLO op").first()).toBeVisible();
});

test("programs that XLA ran on the CPU have their ops too", async ({ page, server }) => {
  await open(page, server, { run: JAX, tool: "hlo_stats" });
  await expect(page.getByRole("grid", { name: "HLO ops" })).toContainText("jit_");
  await page.getByRole("button", { name: /remark on the data/ }).click();
  await expect(page.getByText(/^No device took part: these are the instructions that XLA ran/)).toBeVisible();
});
