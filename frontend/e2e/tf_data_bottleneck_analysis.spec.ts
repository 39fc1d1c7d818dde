import { expect, GPU, KERAS, open, test, violations } from "./test";

const PLACE = { run: KERAS, tool: "tf_data_bottleneck_analysis" };

test("names the pipeline, its bottleneck and the remedy", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByText("Host:0 on host let the program wait for up to 1.47 ms").first()).toBeVisible();
  const graph = page.getByRole("region", { name: "Iterators of a call" });
  await expect(graph.locator(".bottleneck")).toContainText("MapAndBatch");
  await expect(graph.locator(".pipeline-node")).toHaveCount(4);
  expect(await violations(page)).toEqual([]);
});

test("another call is chosen by its rank, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  const graph = page.getByRole("region", { name: "Iterators of a call" });
  await graph.getByRole("button", { name: /^Rank/ }).click();
  await page.getByRole("option", { name: /^7/ }).click();
  await expect(page).toHaveURL(/rank=7/);
  await expect(graph.locator(".pipeline-node").first()).toContainText("14.4 µs");
});

test("a profile without tf.data says why", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "tf_data_bottleneck_analysis" });
  await expect(page.getByText("No tf.data pipeline was called during the capture.").first()).toBeVisible();
});
