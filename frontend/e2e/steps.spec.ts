import { expect, GPU, KERAS, NO_STEPS, open, POD, test, violations } from "./test";

test("the slider picks steps that every tool then counts, and the address remembers them", async ({
  page,
  server,
}) => {
  await open(page, server, { run: GPU, tool: "kernel_stats" });
  const launches = page.locator(".tiles > *", { hasText: "Launches" });
  await expect(launches).toContainText("18");
  await page.getByRole("button", { name: "All steps" }).click();
  const first = page.getByRole("slider", { name: "First step" });
  await expect(first).toHaveAttribute("aria-valuetext", "step 1 of 6: train 0");
  await first.press("ArrowRight");
  await page.getByRole("slider", { name: "Last step" }).press("ArrowLeft");
  await expect(page).toHaveURL(/steps=2-5/);
  await expect(page.getByText("train 1 – train 4")).toBeVisible();
  await expect(page.getByLabel("Skip first and last")).toBeChecked();
  expect(await violations(page)).toEqual([]);
  await expect(launches).toContainText("12");

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByRole("button", { name: "Steps 2–5" })).toBeVisible();
  await expect(page.getByText("Over 4 steps")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Over 4 steps")).toBeVisible();
});

test("the first thumb stops at the last, and all steps come back", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "kernel_stats", steps: "2" });
  await page.getByRole("button", { name: "Steps 2" }).click();
  await page.getByRole("slider", { name: "First step" }).press("End");
  await expect(page.getByText("1 of 6 steps")).toBeVisible();
  await page.getByLabel("Skip first and last").check();
  await expect(page).toHaveURL(/steps=2-5/);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await expect(page).not.toHaveURL(/steps=/);
});

test("an option without effect on picked steps is switched off and says why", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "overview_page", steps: "2-5" });
  await page.getByRole("button", { name: "Options" }).click();
  const skip = page.getByRole("checkbox", { name: /^Skip ends/ });
  await expect(skip).toBeDisabled();
  await expect(page.getByText("No effect now: just the steps that you picked count.")).toBeVisible();
  await page.goto(page.url().replace("&steps=2-5", ""));
  await expect(skip).toBeEnabled();
});

test("without steps the control says why there are none to pick", async ({ page, server }) => {
  await open(page, server, { run: NO_STEPS, tool: "overview_page" });
  await page.getByRole("button", { name: "All steps" }).click();
  await expect(page.locator(".popover").getByText("No step is marked")).toBeVisible();
});

test("steps of several hosts are those that all of them ran", async ({ page, server }) => {
  await open(page, server, { run: POD, tool: "pod_viewer", steps: "2-3" });
  await expect(page.getByText("Mean over 2 steps")).toBeVisible();
});

test("the timeline goes to the picked steps", async ({ page, server }) => {
  await open(page, server, { run: KERAS, tool: "trace_viewer", steps: "3-4" });
  await expect(page).toHaveURL(/start_ps=\d+&end_ps=\d+/);
  const before = page.url();
  await page.getByRole("button", { name: "Steps 3–4" }).click();
  await page.getByRole("slider", { name: "Last step" }).press("ArrowRight");
  await expect(page).toHaveURL(/steps=3-5/);
  await expect.poll(() => /end_ps=(\d+)/.exec(page.url())?.[1]).not.toBe(/end_ps=(\d+)/.exec(before)?.[1]);
});

test.describe("a range that the profile has not", () => {
  test.use({ provoked: /400/ });
  test("is refused with a way out", async ({ page, server }) => {
    await page.goto(`${server.address}/#run=${GPU}&tag=kernel_stats&steps=5-9`);
    await expect(page.getByRole("alert")).toContainText("There are 6 steps, so steps 5-9 cannot be picked.");
    await page.getByRole("button", { name: "Count all steps" }).click();
    await expect(page.getByText("Time in kernels").first()).toBeVisible();
  });
});
