import { readFileSync } from "node:fs";
import { expect, GPU, KERAS, open, test } from "./test";

const PLACE = { run: GPU, tool: "framework_op_stats" };

test("shows pies of ops and types side by side", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("figure")).toHaveCount(2);
  const device = await page.getByRole("figure", { name: "Self time of ops, device" }).boundingBox();
  const types = await page.getByRole("figure", { name: "Self time of op types, device" }).boundingBox();
  expect(device?.y).toBe(types?.y);
});

test("the table says what the server says", async ({ page, server }) => {
  await open(page, server, PLACE);
  const answer = await page.request.get(`${server.address}/data?run=${GPU}&tag=framework_op_stats`);
  const { columns } = (await answer.json()).tables.ops;
  const values = (name: string) => columns.find((column: { name: string }) => column.name === name).values;
  const grid = page.getByRole("grid", { name: "Operations" });
  await expect(grid).toHaveAttribute("aria-rowcount", String(values("operation").length + 2));
  const headings = await grid.getByRole("columnheader").allInnerTexts();
  const first = grid.getByRole("row").nth(1).getByRole("gridcell");
  const cell = (heading: string) => first.nth(headings.findIndex((text) => text.startsWith(heading)));
  await expect(cell("Operation")).toHaveText(values("operation")[0]);
  await expect(cell("Occurrences")).toHaveText(String(values("occurrences")[0]));
});

test("idle time is counted on request, and the address remembers it", async ({ page, server }) => {
  await open(page, server, PLACE);
  const grid = page.getByRole("grid", { name: "Operations" });
  await expect(grid.getByText("IDLE")).toHaveCount(0);
  await page.getByLabel("Include idle time").check();
  await expect(grid.getByText("IDLE").first()).toBeVisible();
  await expect(page).toHaveURL(/include_idle=true/);
});

test("its options are written to the address and can be taken back", async ({ page, server }) => {
  await open(page, server, { ...PLACE, run: KERAS });
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByLabel(/^Top/).fill("3");
  await page.getByLabel(/^Top/).press("Enter");
  await expect(page).toHaveURL(/top=3/);
  await expect(page.getByRole("grid", { name: "Operations" })).toHaveAttribute("aria-rowcount", "5");
  await page.getByRole("button", { name: "Back to the defaults" }).click();
  await expect(page).not.toHaveURL(/top=/);
});

test("a remark that counts ops says once how many", async ({ page, server }) => {
  await open(page, server, { ...PLACE, run: KERAS, top: "3" });
  await page.getByRole("button", { name: /on the data$/ }).click();
  const remark = page.getByRole("listitem").filter({ hasText: "Not shown" });
  await expect(remark).toContainText(/^Not shown: \d+ ops on the host/);
  await expect(remark).not.toContainText("times)");
});

test("CSV holds what is shown, exactly", async ({ page, server }) => {
  await open(page, server, { ...PLACE, run: KERAS });
  const table = page.getByRole("region", { name: "Operations" });
  await table.getByRole("searchbox").fill("MatMul");
  const downloading = page.waitForEvent("download");
  await table.getByRole("button", { name: "Export what is shown" }).click();
  await page.getByRole("button", { name: "Download CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("framework_op_stats.csv");
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines[0]).toMatch(
    /^rank,host_or_device,type,operation,total_self_time \[ps\],host_self_share \[share\]/,
  );
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines.slice(1)) expect(line).toContain("MatMul");
});
