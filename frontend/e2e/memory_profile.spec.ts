import { expect, GPU, KERAS, open, test, violations } from "./test";

const PLACE = { run: KERAS, tool: "memory_profile" };

test("shows the memory, its peak, and what filled it", async ({ page, server }) => {
  await open(page, server, PLACE);
  await expect(page.getByRole("region", { name: "At the peak", exact: true })).toContainText("2.38 MiB");
  await expect(page.getByRole("button", { name: /^Memory/ })).toContainText("mklcpu");
  const grid = page.getByRole("grid", { name: "Memory in use at the peak" });
  await expect(grid).toContainText("StatefulPartitionedCall/adam/Sub_2");
  expect(await violations(page)).toEqual([]);
});

test("a moment of the timeline tells all its facts", async ({ page, server }) => {
  await open(page, server, PLACE);
  const canvas = page.getByRole("figure", { name: "Memory over time" }).locator("canvas").first();
  await canvas.hover();
  const card = page.locator(".chart-card-hover");
  for (const fact of [
    "Stack",
    "Heap",
    "Fragmentation",
    "Event",
    "Requested",
    "Allocated",
    "Op",
    "Step",
    "Region",
    "Shape",
  ])
    await expect(card.locator("dt").filter({ hasText: fact }).first()).toBeVisible();
});

test("a profile without allocations says why", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "memory_profile" });
  await expect(page.getByText("No allocator wrote down what it allocated.").first()).toBeVisible();
});
