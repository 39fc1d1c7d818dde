/** Hands for the dialog that takes profiles. */
import type { FrameLocator, Locator, Page } from "@playwright/test";
import type { Server } from "./servers";
import { expect } from "./test";

export function dialog(page: Page | FrameLocator): Locator {
  return page.getByRole("dialog", { name: "Capture profile" });
}

export async function openDialog(page: Page, server: Server): Promise<void> {
  await page.goto(server.address);
  await page.getByRole("banner").getByRole("button", { name: "Capture profile" }).click();
  await expect(dialog(page)).toBeVisible();
}

export async function capture(page: Page | FrameLocator, addresses: string, duration: string): Promise<void> {
  await dialog(page).getByLabel("Addresses").fill(addresses);
  await dialog(page).getByLabel("Duration").fill(duration);
  await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
}
