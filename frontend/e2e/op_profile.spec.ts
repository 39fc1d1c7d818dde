import { expect, open, test, TPU, violations } from "./test";

const PLACE = { run: TPU, tool: "op_profile" };

test("opens along the longest path, and further by keyboard", async ({ page, server }) => {
  await open(page, server, PLACE);
  const tree = page.getByRole("treegrid", { name: "Op profile" });
  const rows = tree.locator("[data-row]");
  await expect(rows.first()).toContainText("all ops");
  await expect(rows).toHaveCount(6);
  await expect(tree.getByText("fusion.2", { exact: true })).toBeVisible();
  await rows.first().focus();
  await page.keyboard.press("End");
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(rows).toHaveCount(7);
  await page.keyboard.press("ArrowLeft");
  await expect(rows).toHaveCount(6);
});

test("says all that is known of the node that is chosen", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("treegrid").getByText("fusion.2", { exact: true }).click();
  const details = page.getByRole("region", { name: "Details of fusion.2" });
  await expect(details).toContainText("convolution fusion");
  await expect(details).toContainText("jit(update)/layer/fusion");
  await page.keyboard.press("End");
  await expect(page.locator("[data-row]").last()).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("region", { name: /^Details of/ })).toBeInViewport();
  await page.getByRole("treegrid").getByText("fusion.2", { exact: true }).click();
  await details.getByRole("link", { name: "Find in the timeline" }).click();
  await expect(page).toHaveURL(/tag=trace_viewer.*search=.*fusion.*2/);
});

test("branches by category and counts idle time, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  const tree = page.getByRole("treegrid", { name: "Op profile" });
  await page.getByLabel("Category").check();
  await expect(tree.getByText("jit_update(42)")).toHaveCount(0);
  await page.getByLabel("Include idle time").check();
  await expect(tree.getByText("IDLE")).toBeVisible();
  await expect(page).toHaveURL(/group_by=category/);
  await expect(page).toHaveURL(/exclude_idle=false/);
});

test("finds ops by name with what leads there, and sorts siblings", async ({ page, server }) => {
  await open(page, server, PLACE);
  const rows = page.getByRole("treegrid").locator("[data-row]");
  await page.getByRole("searchbox").fill("infeed.1");
  await expect(rows).toHaveCount(4);
  await page.getByRole("searchbox").fill("");
  const sort = page.getByRole("columnheader", { name: /^FLOPS utilization/ }).getByRole("button");
  await sort.click();
  await sort.click();
  await expect(rows.nth(2)).toContainText("infeed");
});

test("says what to look at first", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByText(/^What to look at first: .* wastes most: .* of the time\./)).toBeVisible();
});

test("finds ops by the framework op they came from", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("searchbox").fill("update)/layer/fusion");
  await expect(page.getByRole("treegrid").getByText("fusion.2", { exact: true })).toBeVisible();
});

test("can be used by everyone", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("treegrid").getByText("fusion.2", { exact: true }).click();
  expect(await violations(page)).toEqual([]);
});
