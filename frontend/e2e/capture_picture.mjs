/** Takes the picture of a capture going on: `node e2e/capture_picture.mjs PAGE ADDRESSES PICTURE CHROMIUM`. */
import process from "node:process";
import { chromium } from "@playwright/test";

const [page, addresses, path, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const tab = await browser.newPage({ viewport: { width: 1280, height: 620 }, reducedMotion: "reduce" });
await tab.goto(page);
await tab.getByRole("heading", { level: 1 }).waitFor();
await tab.getByRole("button", { name: "Capture profile" }).click();
await tab.getByLabel("Addresses").fill(addresses);
await tab.getByLabel("Duration").fill("5000");
await tab.getByRole("button", { name: "Capture", exact: true }).click();
await tab
  .getByText(/^Recording, [34]/)
  .first()
  .waitFor();
await tab.screenshot({ path });
await tab.getByRole("button", { name: "Cancel capture" }).click();
await tab.getByText("The capture was cancelled", { exact: true }).waitFor();
await browser.close();
