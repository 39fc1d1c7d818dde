import { expect, GPU, JAX, open, test, violations } from "./test";

const PLACE = { run: JAX, tool: "memory_viewer" };

test("shows the peak of a module and the buffers that make it up", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("button", { name: /^Module/ })).toBeVisible();
  await expect(page.getByRole("figure", { name: "Memory over the program" })).toBeVisible();
  await expect(page.getByRole("figure", { name: "Buffers at the peak, in program order" })).toBeVisible();
  await expect(page.getByRole("grid", { name: "Buffers at the peak" })).toBeVisible();
});

test("the address names the chosen buffer, whose lifetime is shown", async ({ page, server }) => {
  const answer = await page.request.get(`${server.address}/data?run=${JAX}&tag=memory_viewer`);
  const { columns } = (await answer.json()).tables.buffers;
  const ids = columns.find((column: { name: string }) => column.name === "buffer").values;
  await open(page, server, { ...PLACE, buffer: String(ids[0]) });
  const details = page.getByRole("region", { name: "Chosen buffer" });
  await expect(details.getByRole("img", { name: /^Live from point/ })).toBeVisible();
});

test("a buffer pointed at in a chart is described, until the pointer leaves", async ({ page, server }) => {
  await open(page, server, PLACE);
  const chart = page.getByRole("figure", { name: "Buffers at the peak, by size" });
  const canvas = chart.locator("canvas").first();
  const details = page.getByRole("region", { name: "Chosen buffer" });
  await expect(async () => {
    await page.mouse.move(0, 0);
    await canvas.hover({ position: { x: 120, y: 120 } });
    await expect(details).toBeVisible({ timeout: 500 });
  }).toPass();
  for (const fact of ["Size", "Shape", "Kind of allocation", "Opcode", "First point", "Last point"])
    await expect(details).toContainText(fact);
  await page.mouse.move(0, 0);
  await expect(details).toBeHidden();
});

test("arrow keys go through the buffers of a chart, Enter keeps one", async ({ page, server }) => {
  await open(page, server, PLACE);
  const chart = page.getByRole("slider", { name: /^Buffers at the peak, by size/ });
  const details = page.getByRole("region", { name: "Chosen buffer" });
  await chart.focus();
  await page.keyboard.press("Home");
  await expect(chart).toHaveAttribute("aria-valuetext", /Temporary .*Without padding .*Last point/);
  const first = await details.getByRole("heading").textContent();
  await page.keyboard.press("ArrowRight");
  await expect(details.getByRole("heading")).not.toHaveText(first ?? "");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/buffer=\d+/);
  await page.keyboard.press("Escape");
  await expect(details).toBeVisible();
});

test("shows where temporary buffers lie, and what is pointed at there", async ({ page, server }) => {
  await open(page, server, PLACE);
  const places = page.getByRole("slider", { name: /^Where temporary buffers lie/ });
  await places.focus();
  await page.keyboard.press("End");
  await expect(page.getByRole("region", { name: "Chosen buffer" })).toContainText("Place in memory");
});

test("says why there is nothing where no program was recorded", async ({ page, server }) => {
  await page.goto(`${server.address}/#run=${GPU}&tag=memory_viewer`);
  await expect(page.getByText("The profile holds no compiled program.")).toBeVisible();
});

test("can be used by everyone", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("slider", { name: /^Where temporary buffers lie/ }).focus();
  await page.keyboard.press("Home");
  expect(await violations(page)).toEqual([]);
});
