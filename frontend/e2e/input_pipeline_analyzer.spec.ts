import { expect, GPU, open, POD, test, TPU } from "./test";

const TOOL = { tool: "input_pipeline_analyzer" };

test("says how input-bound the run is, and what to do", async ({ page, server }) => {
  await open(page, server, { run: GPU, ...TOOL });
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText("The run is highly input-bound: 24.2 %");
  await expect(verdict).toContainText("Load the data with tf.data or Grain");
});

test("shows the range over workers where there are several", async ({ page, server }) => {
  await open(page, server, { run: TPU, ...TOOL });
  const shares = page.getByRole("figure", { name: "Share of the step spent waiting for input" });
  await expect(shares.getByRole("button", { name: "Most of workers" })).toBeVisible();
});

test("all hosts have one answer", async ({ page, server }) => {
  await open(page, server, { run: POD, ...TOOL });
  await expect(page.getByRole("figure", { name: "Step time by what it was spent on" })).toBeVisible();
});
