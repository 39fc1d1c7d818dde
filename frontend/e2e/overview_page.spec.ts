import { expect, GPU, JAX, KERAS, open, POD, test, TPU } from "./test";

test("says what limits the run, with advice and the next click", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText(
    "The run is highly input-bound: 24.2 % of the step time is spent waiting for input.",
  );
  await expect(verdict.getByRole("listitem").first()).toContainText("Make the input pipeline faster");
  await verdict
    .getByRole("link", { name: /^Look closer/ })
    .first()
    .click();
  await expect(page).toHaveURL(/tag=input_pipeline_analyzer/);
});

test("shows the average step and where its time goes", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const card = page.getByRole("region", { name: "Step time", exact: true });
  const value = (name: string) => card.locator("dl > div").filter({ hasText: name }).locator("dd");
  await expect(value("Average step time")).toHaveText("990 µs");
  await expect(value("Input")).toHaveText("240 µs");
});

test("the definition of each number is reached with the keyboard", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  const card = page.getByRole("region", { name: "Step time", exact: true });
  const terms = card.getByRole("term");
  await terms.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(terms.nth(1)).toBeFocused();
  await expect(page.getByRole("tooltip")).toHaveText("Of all steps");
});

test("an unknown value is a dash that says why", async ({ page, server }) => {
  await open(page, server, { run: KERAS });
  const dash = page.getByText("–", { exact: true }).first();
  await dash.hover();
  await expect(page.getByRole("tooltip")).toBeVisible();
});

for (const [name, run] of Object.entries({ GPU, JAX, KERAS, TPU, POD })) {
  test(`has a verdict, the steps and the slowest ops of ${name}`, async ({ page, server }) => {
    await open(page, server, { run });
    await expect(page.getByRole("region", { name: "Verdict" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Performance" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Run environment" })).toBeVisible();
    await expect(page.getByRole("grid", { name: /^Top/ }).getByRole("row")).not.toHaveCount(1);
  });
}
