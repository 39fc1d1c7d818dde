import type { FrameLocator, Page } from "@playwright/test";
import { expect, GPU, KERAS, test, violations } from "./test";

// TensorBoard asks for its own fonts without the path prefix.
test.use({ provoked: /font-roboto/ });

function plugin(page: Page): FrameLocator {
  return page.frameLocator("iframe");
}

test("the Profile tab shows the plugin, below a path prefix", async ({ page, tensorboard }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${GPU}`);
  await expect(plugin(page).getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(plugin(page).getByRole("region", { name: "Verdict" })).toContainText("input-bound");
  await expect(plugin(page).locator("canvas").first()).toBeVisible();
  await expect(plugin(page).getByRole("button", { name: /colours$/ })).toHaveCount(0);
});

test("the state is in TensorBoard's own address: reload, back and forward", async ({ page, tensorboard }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${KERAS}`);
  const heading = plugin(page).getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("Overview");
  await plugin(page).getByRole("link", { name: "Framework ops", exact: true }).click();
  await expect(heading).toHaveText("Framework ops");
  await expect(page).toHaveURL(/#profile&p\.profile\.run=.*&p\.profile\.tag=framework_op_stats/);
  await page.reload();
  await expect(heading).toHaveText("Framework ops");
  await plugin(page).getByLabel("Include idle time").check();
  await expect(page).toHaveURL(/p\.profile\.include_idle=true/);
  await page.goBack();
  await expect(plugin(page).getByLabel("Include idle time")).not.toBeChecked();
});

test("follows the colours of TensorBoard's page, also when they change", async ({ page, tensorboard }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${GPU}`);
  const html = plugin(page).locator("html");
  await expect(html).toHaveAttribute("data-theme", "light");
  await page.evaluate(() => document.body.classList.add("dark-mode"));
  await expect(html).toHaveAttribute("data-theme", "dark");
});

test("finds a new profile when TensorBoard reloads", async ({ page, tensorboard, logs }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${GPU}`);
  await expect(plugin(page).getByRole("heading", { level: 1 })).toHaveText("Overview");
  const remove = logs.add("2024_06_02_12_00_00");
  const sessions = plugin(page).getByRole("button", { name: /^Session/ });
  await expect(async () => {
    await page.locator(".reload-button").click();
    await sessions.click();
    const found = plugin(page).getByRole("option").filter({ hasText: "late/2024_06_02_12_00_00" });
    await expect(found).toHaveCount(1, { timeout: 1000 });
  }).toPass();
  remove();
});

test("the timeline is drawn in the frame, whose policy binds its worker too", async ({
  page,
  tensorboard,
}) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${GPU}&p.profile.tag=trace_viewer`);
  const drawing = plugin(page).locator("[data-renderer=scan-line] canvas");
  const drawn = (): Promise<boolean> =>
    drawing.evaluate((canvas: HTMLCanvasElement) =>
      (canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? []).some(Boolean),
    );
  await expect.poll(drawn).toBe(true);
});

test("axe finds nothing serious in the frame", async ({ page, tensorboard }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${GPU}`);
  await expect(plugin(page).locator("canvas").first()).toBeVisible();
  const frame = page.frames().find((candidate) => candidate.url().includes("plugin_entry"));
  if (!frame) throw new Error("no frame of the plugin");
  expect(await violations(frame)).toEqual([]);
});
