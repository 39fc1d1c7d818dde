import { expect, GPU, JAX, open, test } from "./test";

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

test("says why there is nothing where no program was recorded", async ({ page, server }) => {
  await page.goto(`${server.address}/#run=${GPU}&tag=memory_viewer`);
  await expect(page.getByText("The profile holds no compiled program.")).toBeVisible();
});
