import { expect, GPU, KERAS, open, test, violations } from "./test";

const column = (name: string, label: string, unit: string, values: unknown[]) => ({
  name,
  label,
  unit,
  description: `What ${label.toLowerCase()} means`,
  type: typeof values[0] === "string" ? "string" : "number",
  values,
});
const metric = { unit: "", description: "", spread: null, reason: "", group: "" };
const chart = { description: "", stack: false, log: false };
const RESULT = {
  tool: "no_view",
  run: GPU,
  host: "host",
  metrics: [
    { ...metric, name: "peak", label: "Peak memory", value: 3 * 2 ** 30, unit: "bytes" },
    { ...metric, name: "power", label: "Power", value: null, reason: "No meter." },
  ],
  charts: [
    {
      ...chart,
      name: "memory",
      kind: "area",
      table: "memory",
      x: "time",
      y: ["heap"],
      label: "Memory in use",
    },
    {
      ...chart,
      name: "roofline",
      kind: "scatter",
      table: "ops",
      x: "intensity",
      y: ["rate"],
      label: "Roofline",
      log: true,
    },
  ],
  tables: {
    memory: {
      label: "Memory",
      rows: 3,
      columns: [
        column("time", "Time", "ps", [0, 1e9, 2e9]),
        column("heap", "Heap", "bytes", [1e6, 3e6, 2e6]),
      ],
    },
    ops: {
      label: "Ops",
      rows: 2,
      columns: [
        column("name", "Name", "", ["conv", "matmul"]),
        column("intensity", "Intensity", "flops_per_byte", [1.5, 80]),
        column("rate", "Rate", "flops_per_s", [2e9, 4e12]),
      ],
    },
  },
  notes: [
    {
      severity: "warning",
      cause: "12 events were cut off.",
      remedy: "Record fewer steps.",
      link: "",
      count: 12,
    },
  ],
};

test("a tool without a view of its own shows metrics, charts, tables and remarks", async ({
  page,
  server,
}) => {
  await page.route("**/data?**", (route) => route.fulfill({ json: RESULT }));
  await open(page, server, { run: GPU, tool: "no_view" });
  await expect(page.getByText("3 GiB")).toBeVisible();
  await expect(page.getByRole("figure")).toHaveCount(2);
  await expect(page.getByRole("grid")).toHaveCount(2);
  await page.getByRole("button", { name: "1 remark on the data" }).click();
  await expect(page.getByText("12 events were cut off.", { exact: true })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test("a result without anything says why, in place of the view", async ({ page, server }) => {
  const empty = { ...RESULT, metrics: [], charts: [], tables: {} };
  await page.route("**/data?**", (route) => route.fulfill({ json: empty }));
  await open(page, server, { run: GPU, tool: "no_view" });
  await expect(page.getByRole("main")).toContainText("has nothing to show for this session");
  await expect(page.getByRole("main")).toContainText("Record fewer steps.");
});

test("a tool that does not apply is greyed out with the reason, and its page says what would help", async ({
  page,
  server,
}) => {
  await open(page, server, { run: KERAS });
  const link = page.getByRole("link", { name: "GPU kernels", exact: true });
  await expect(link).toHaveClass("unavailable");
  await expect(link).toHaveAccessibleDescription(/GPU/);
  await link.hover();
  await expect(page.getByRole("tooltip")).toContainText(/GPU/);
  await link.click();
  await expect(page.getByRole("main")).toContainText("GPU kernels has nothing to show for this session");
});
