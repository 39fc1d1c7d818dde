import { expect, open, test, TPU, violations } from "./test";

const PLACE = { run: "serving/2024_04_02_12_00_00", tool: "inference_profile" };

test("shows what latency at each percentile goes by in", async ({ page, server }) => {
  await open(page, server, PLACE);
  const percentiles = page.getByRole("region", { name: "Latency of requests", exact: true });
  await expect(percentiles.getByRole("row", { name: /^99 %/ })).toContainText(/^99 %1\.0/);
  await expect(page.getByRole("region", { name: "Batches", exact: true })).toContainText("40 rows");
  expect(await violations(page)).toEqual([]);
});

test("one model is chosen, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("option", { name: /ranker/ }).click();
  await expect(page).toHaveURL(/model=ranker/);
  await expect(page.getByRole("region", { name: "Batches", exact: true })).toContainText("10 rows");
});

test("a profile without requests says why and what to do", async ({ page, server }) => {
  await open(page, server, { run: TPU, tool: "inference_profile" });
  await expect(page.getByText("No event of the profile is a request for inference.").first()).toBeVisible();
  await expect(page.getByText(/TraceAnnotation\('request'/).first()).toBeVisible();
});
