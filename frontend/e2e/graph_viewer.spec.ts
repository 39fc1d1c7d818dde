import { expect, GPU, JAX, open, test, violations } from "./test";

// TensorBoard asks for its own fonts without the path prefix.
test.use({ provoked: /font-roboto/ });

const PLACE = { run: JAX, tool: "graph_viewer" };
const LONGEST = "convolution-base-dilated";

test("draws the surroundings of the longest instruction, and tells what is known of it", async ({
  page,
  server,
}) => {
  await open(page, server, PLACE);
  const graph = page.getByRole("group", { name: `Instructions around ${LONGEST}` });
  await expect(graph.getByRole("button")).toHaveCount(10);
  await expect(graph.locator(".graph-edge")).toHaveCount(10);
  const details = page.getByRole("region", { name: `Instruction ${LONGEST}` });
  await expect(details).toContainText("f32[128,16,16,8]{3,2,1,0}");
  await expect(details).toContainText("33.9 ms");
  await expect(details).toContainText("Operands (2)");
  expect(await violations(page)).toEqual([]);
});

test("draws what the address names before the events tell how long each instruction ran", async ({
  page,
  server,
}) => {
  let answer = (): void => {};
  const asked = new Promise<unknown>((resolve) => (answer = () => resolve(null)));
  await page.route("**/data?**", async (route) => {
    await asked;
    await route.continue();
  });
  await open(page, server, { ...PLACE, module: "jit_update", node: "ynn_fusion.2" });
  const graph = page.getByRole("group", { name: "Instructions around ynn_fusion.2" });
  await expect(graph).toBeVisible();
  await expect(page.locator(".view")).toHaveAttribute("aria-busy", "true");
  answer();
  await expect(page.locator(".view")).toHaveAttribute("aria-busy", "false");
  await expect(graph.locator(".graph-time")).not.toHaveCount(0);
});

test("a click chooses, a double click goes on from there, and the address remembers both", async ({
  page,
  server,
}) => {
  await open(page, server, PLACE);
  const box = page.getByRole("button", { name: /^ynn_fusion\.2 / });
  await box.click();
  await expect(page).toHaveURL(/selected=ynn_fusion\.2/);
  await expect(page.getByRole("region", { name: "Instruction ynn_fusion.2" })).toContainText("custom fusion");
  await box.dblclick();
  await expect(page).toHaveURL(/node=ynn_fusion\.2(&|$)/);
  await expect(page.getByRole("group", { name: "Instructions around ynn_fusion.2" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("group", { name: `Instructions around ${LONGEST}` })).toBeVisible();
});

test("one walks from instruction to instruction with the keyboard", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("button", { name: new RegExp(`^${LONGEST} `) }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("button", { name: /^transpose_copy_fusion\.2 / })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("group", { name: "Instructions around transpose_copy_fusion.2" }),
  ).toBeVisible();
});

test("finds an instruction while one types its name", async ({ page, server }) => {
  await open(page, server, PLACE);
  const search = page.getByRole("combobox", { name: "Search instructions" });
  await search.fill("dot_general");
  await expect(
    page.getByRole("listbox", { name: "Instructions found" }).getByRole("option").first(),
  ).toContainText("dot_general");
  await search.press("ArrowDown");
  await search.press("Enter");
  await expect(page).toHaveURL(/node=/);
});

test("opens fusions, and shows a computation whole", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByLabel("Merge fusions").uncheck();
  await expect(page.locator(".graph-node.open").first()).toBeAttached();
  await open(page, server, { ...PLACE, node: "main.15" });
  await expect(page.getByText("in main.15")).toBeVisible();
  expect(await page.locator(".graph-node").count()).toBeGreaterThan(30);
});

test("zooms, and shows everything again", async ({ page, server }) => {
  await open(page, server, PLACE);
  const drawing = page.locator(".graph-canvas > svg > g");
  const before = await drawing.getAttribute("transform");
  await page.getByRole("button", { name: "Closer" }).click();
  await expect(drawing).not.toHaveAttribute("transform", before ?? "");
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(page.getByRole("button", { name: /^ynn_fusion\.1 / })).toBeInViewport();
});

test("the program is downloaded as text", async ({ page, server }) => {
  await open(page, server, PLACE);
  await page.getByRole("button", { name: "Download the program" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "HLO text, short" }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^jit_update\(\d+\)\.hlo\.txt$/);
});

test("a name that is not there leaves the module and the search", async ({ page, server }) => {
  await open(page, server, { ...PLACE, node: "nothing" });
  await expect(page.getByText(/has no instruction or computation called 'nothing'/)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Module/ })).toBeVisible();
});

test("says why there is nothing where no program was recorded", async ({ page, server }) => {
  await page.goto(`${server.address}/#run=${GPU}&tag=graph_viewer`);
  await expect(page.getByText("The profile holds no compiled program.")).toBeVisible();
});

test("the worker that arranges graphs runs inside TensorBoard", async ({ page, tensorboard }) => {
  await page.goto(`${tensorboard.address}/#profile&p.profile.run=${JAX}&p.profile.tag=graph_viewer`);
  await expect(page.frameLocator("iframe").locator(".graph-node")).toHaveCount(10, { timeout: 30_000 });
});
