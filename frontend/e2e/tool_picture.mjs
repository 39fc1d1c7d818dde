/** Takes the picture of a tool: `node e2e/tool_picture.mjs PAGE PICTURE CHROMIUM`. */
import process from "node:process";
import { chromium } from "@playwright/test";

const [page, path, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const tab = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" });
await tab.goto(page);
await tab.getByRole("heading", { level: 1 }).waitFor();
await tab.waitForLoadState("networkidle");
await tab.getByText("Arranging the graph").waitFor({ state: "hidden" });
// What is drawn settles a moment after the last answer.
await tab.waitForTimeout(500);
await tab.screenshot({ path });
await browser.close();
