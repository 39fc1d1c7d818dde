import type { Page } from "@playwright/test";
import { expect, GPU, JAX, KERAS, open, test, TPU } from "./test";

/** Opens the menu of the cell that holds `text`, and follows one of its links. */
async function follow(page: Page, text: string, link: string): Promise<void> {
  await page.getByRole("gridcell", { name: text, exact: true }).first().click();
  await page
    .getByRole("dialog", { name: /^Actions/ })
    .getByRole("link", { name: link })
    .click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

const ROWS = { name: "Operations" };

test("from a framework op to its events: those of the instructions that were compiled from it", async ({
  page,
  server,
}) => {
  await open(page, server, { run: JAX, tool: "framework_op_stats" });
  await follow(page, "jit(update)/sub", "Find in the timeline");
  await expect(page).toHaveURL(/tag=trace_viewer&search=.*sub.*&stats=true/);
  await expect(page.getByRole("search").getByRole("status")).toHaveText(/^\d+ hits$/);
});

test("from a framework op to its instructions in the HLO graph", async ({ page, server }) => {
  await open(page, server, { run: JAX, tool: "framework_op_stats" });
  await follow(page, "jit(update)/sub", "Show in the HLO graph");
  const found = page.getByRole("listbox", { name: "Instructions found" }).getByRole("option");
  await found.first().click();
  await expect(page).toHaveURL(/node=/);
  await expect(page.getByRole("definition").filter({ hasText: "jit(update)/sub" })).toBeVisible();
});

test("from an iterator to its own events, not to those of the iterators that it calls", async ({
  page,
  server,
}) => {
  await open(page, server, { run: KERAS, tool: "framework_op_stats" });
  const row = page.getByRole("row").filter({ hasText: "Iterator::Root::Prefetch" }).first();
  const calls = await row.getByRole("gridcell").nth(6).innerText();
  await row.locator(".name").last().click();
  await page.getByRole("link", { name: "Find in the timeline" }).click();
  await expect(page.getByRole("search").getByRole("status")).toHaveText(`${calls} hits`);
});

test("from an iterator of a tf.data pipeline to its row in the statistics", async ({ page, server }) => {
  await open(page, server, { run: KERAS, tool: "tf_data_bottleneck_analysis" });
  const cell = page.getByRole("grid", { name: "Iterators of the call" }).locator(".grid-body .name").last();
  const name = await cell.innerText();
  await cell.click();
  await page.getByRole("link", { name: "Show in Framework ops" }).click();
  const rows = page.getByRole("grid", { name: "Operations" }).locator(".grid-body [role=row]");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText((name.split("::").at(-1) ?? "").replace(/\[\d+\]/, ""));
});

test("from an instruction of the graph to its events, and from an event back to the graph", async ({
  page,
  server,
}) => {
  await open(page, server, { run: JAX, tool: "graph_viewer", node: "ynn_fusion.2" });
  const details = page.getByRole("region", { name: "Instruction ynn_fusion.2" });
  await details.getByRole("link", { name: "Find in the timeline" }).click();
  await expect(page.getByRole("search").getByRole("status")).toHaveText("30 hits");
  await page.getByRole("button", { name: "Next hit" }).click();
  const pane = page.getByRole("region", { name: "Event ynn_fusion.2" });
  await expect(pane).toContainText(/Source.*\.py:\d+/);
  await pane.getByRole("link", { name: "Show in the HLO graph" }).first().click();
  await expect(page.getByRole("group", { name: "Instructions around ynn_fusion.2" })).toBeVisible();
});

test("from an op of the overview to its row in the statistics, which the address names", async ({
  page,
  server,
}) => {
  await open(page, server, { run: TPU, tool: "overview_page" });
  const name = await page.getByRole("grid", { name: /^Top/ }).locator(".grid-cell.name").first().innerText();
  await follow(page, name.replace("\n", ""), "Show in Framework ops");
  const table = page.getByRole("region", ROWS);
  await expect(table.getByRole("status")).toHaveText(/^1 of/);
  await page.reload();
  await expect(table.getByRole("status")).toHaveText(/^1 of/);
  await table.getByRole("textbox", { name: "Filter Operation" }).fill("");
  await expect(page).not.toHaveURL(/filter/);
});

test("from a buffer to the instruction that writes it", async ({ page, server }) => {
  await open(page, server, { run: JAX, tool: "memory_viewer" });
  const cell = page
    .getByRole("grid", { name: "Buffers at the peak" })
    .locator(".grid-body .grid-cell.name")
    .first();
  const name = (await cell.innerText()).replace("\n", "");
  await cell.click();
  await page.getByRole("link", { name: "Show in the HLO graph" }).click();
  await expect(page.getByRole("region", { name: `Instruction ${name.replace(/\{.*/, "")}` })).toBeVisible();
});

test("from a kernel to its launches, and from a launch to the statistics", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "kernel_stats" });
  await follow(page, "sgemm_32x32", "Find in the timeline");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("6 hits");
  await page.getByRole("button", { name: "Next hit" }).click();
  const pane = page.getByRole("region", { name: "Event sgemm_32x32" });
  await pane.getByRole("link", { name: "Show in GPU kernels" }).last().click();
  await expect(
    page.getByRole("region", { name: "Kernels by launch configuration" }).getByRole("status"),
  ).toHaveText("1 of 3 rows");
});

test("from a collective of the pod to its HLO op", async ({ page, server }) => {
  await open(page, server, { run: TPU, tool: "pod_viewer" });
  await follow(page, "all-reduce.3", "Show in HLO ops");
  await expect(page.getByRole("region", { name: "HLO ops" }).getByRole("status")).toHaveText("1 of 3 rows");
});
