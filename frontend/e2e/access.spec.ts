import type { Page } from "@playwright/test";
import { expect, GPU, KERAS, NO_STEPS, open, test, violations } from "./test";

const VIEWS = [
  { run: GPU, tool: "overview_page" },
  { run: KERAS, tool: "framework_op_stats" },
];

const EMPTY = { run: NO_STEPS, tool: "kernel_stats" };

for (const colorScheme of ["light", "dark"] as const) {
  for (const view of [...VIEWS, EMPTY]) {
    test(`axe finds nothing serious in ${view.tool}, ${colorScheme}`, async ({ page, server }) => {
      await page.emulateMedia({ colorScheme });
      await open(page, server, view);
      await expect(page.locator(view === EMPTY ? ".state" : "canvas").first()).toBeVisible();
      expect(await violations(page)).toEqual([]);
    });
  }
}

test("axe finds nothing serious in open menus, filters and charts as tables", async ({ page, server }) => {
  await open(page, server, { run: KERAS, tool: "framework_op_stats" });
  await page.getByRole("button", { name: "Filter columns" }).click();
  await page
    .getByRole("button", { name: /as a table$/ })
    .first()
    .click();
  await page.getByRole("button", { name: /^Session/ }).click();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Options" }).click();
  expect(await violations(page)).toEqual([]);
});

for (const view of VIEWS) {
  const fits = async (page: Page): Promise<void> => {
    for (const name of [/^Session/, "Host host", "Share"]) {
      await expect(page.getByRole("button", { name })).toBeInViewport();
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  };

  test(`${view.tool} can be used at 1024 pixels with text twice as large`, async ({ page, server }) => {
    await page.setViewportSize({ width: 1024, height: 800 });
    await open(page, server, view);
    await page.addStyleTag({ content: "html { font-size: 200% }" });
    await fits(page);
  });

  test(`${view.tool} can be used at 1024 pixels enlarged twice`, async ({ page, server }) => {
    await page.setViewportSize({ width: 512, height: 400 });
    await open(page, server, view);
    await fits(page);
  });
}

test("everything is reached with the keyboard, and the focus is seen", async ({ page, server }) => {
  await open(page, server, { run: GPU });
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the view" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(page).not.toHaveURL(/#main/);
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
  expect(outline).toBe("solid");
});
