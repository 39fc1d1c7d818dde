import { DAMAGED, expect, GPU, JAX, KERAS, open, POD, test } from "./test";

test("opens the newest session on its overview", async ({ page, server }) => {
  await open(page, server);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(page.getByRole("button", { name: /^Session/ })).toContainText(JAX);
  await expect(page).toHaveTitle(`${JAX} – Profile`);
  await expect(page).toHaveURL(new RegExp(`run=${JAX}`));
});

test("sessions are listed newest first, with hosts and size, and found by typing", async ({
  page,
  server,
}) => {
  await open(page, server, { run: GPU });
  const picker = page.getByRole("button", { name: /^Session/ });
  await picker.hover();
  await expect(page.getByRole("tooltip")).toHaveText(/^gpu_train.* · 1 host · [\d.]+ KiB$/);
  await picker.click();
  const list = page.getByRole("listbox", { name: "Session" });
  await expect(list.getByRole("option")).toHaveCount(9);
  await expect(list.getByRole("option").first()).toContainText(JAX);
  await expect(list.getByRole("option").filter({ hasText: POD })).toContainText(/2 hosts · [\d.]+ KiB/);
  await list.getByRole("option").filter({ hasText: KERAS }).click();
  await expect(page).toHaveURL(new RegExp(`run=${KERAS}`));
});

test("the host picker offers all hosts together where the tool combines them", async ({ page, server }) => {
  await open(page, server, { run: POD, tool: "framework_op_stats" });
  await page.getByRole("button", { name: /^Host/ }).click();
  const list = page.getByRole("listbox", { name: "Host" });
  await expect(list.getByRole("option")).toHaveText([/^All hosts/, /^worker-0/, /^worker-1/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/host=worker-1/);
});

test("back, forward and reload restore what was shown", async ({ page, server }) => {
  await open(page, server, { run: KERAS });
  const heading = page.getByRole("heading", { level: 1 });
  await page.getByRole("link", { name: "Framework ops", exact: true }).click();
  await expect(heading).toHaveText("Framework ops");
  await page.getByLabel("Include idle time").check();
  await expect(page).toHaveURL(/include_idle=true/);
  await page.reload();
  await expect(page.getByLabel("Include idle time")).toBeChecked();
  await page.goBack();
  await expect(page.getByLabel("Include idle time")).not.toBeChecked();
  await page.goBack();
  await expect(heading).toHaveText("Overview");
  await page.goForward();
  await expect(heading).toHaveText("Framework ops");
});

test("the link to share opens the same view", async ({ page, server, context }) => {
  await open(page, server, { run: KERAS, tool: "framework_op_stats", include_idle: "true" });
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByText("Link copied")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(page.url());
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.getByLabel("Include idle time")).toBeChecked();
});

test("the theme follows the system and can be switched for good", async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, server, { run: GPU });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Switch to light colours" }).click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

test("a profile that is recorded meanwhile is found without losing the place", async ({
  page,
  server,
  logs,
}) => {
  await open(page, server, { run: KERAS, tool: "framework_op_stats" });
  const search = page.getByRole("region", { name: "Operations" }).getByRole("searchbox");
  await search.fill("conv");
  const remove = logs.add("2024_06_01_12_00_00");
  await expect(async () => {
    await page.getByRole("button", { name: "Look for new profiles" }).click();
    await page.getByRole("button", { name: /^Session/ }).click();
    const found = page.getByRole("option").filter({ hasText: "late/2024_06_01_12_00_00" });
    await expect(found).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(search).toHaveValue("conv");
  remove();
});

test("works below a path of a proxy", async ({ page, server }) => {
  await page.goto(`${server.address}/data/plugin/profile/`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
});

test.describe("when something is wrong", () => {
  test.use({ provoked: /422 \(|404 \(|ERR_CONNECTION_REFUSED/ });

  test("a damaged file is named with the place of the damage, and the rest keeps working", async ({
    page,
    server,
  }) => {
    await page.goto(`${server.address}/#run=${DAMAGED}&tag=framework_op_stats`);
    const card = page.getByRole("alert");
    await expect(card).toContainText(/byte \d+/);
    await expect(card.getByRole("button", { name: "Try again" })).toBeVisible();
    await page.getByRole("button", { name: /^Session/ }).click();
    await page.getByRole("option").filter({ hasText: GPU }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Framework ops");
  });

  test("a session that is gone is said to be gone", async ({ page, server }) => {
    await page.goto(`${server.address}/#run=no/such`);
    await expect(page.getByRole("heading", { name: "There is no profile “no/such”" })).toBeVisible();
  });

  test("a tool that does not exist is said not to exist", async ({ page, server }) => {
    await page.goto(`${server.address}/#run=${GPU}&tag=no_such_tool`);
    await expect(page.getByRole("alert")).toContainText("no_such_tool");
  });

  test("a server that went away is said to be away, and can be tried again", async ({ page, server }) => {
    await open(page, server, { run: GPU });
    await page.route("**/data?**", (route) => route.abort("connectionrefused"));
    await page.getByRole("link", { name: "Framework ops", exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("The server does not answer.");
    await page.unroute("**/data?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Framework ops");
  });
});

test("an empty log directory shows how to record a profile, with a command to copy", async ({
  page,
  empty,
}) => {
  await page.goto(empty.address);
  await expect(page.getByRole("heading", { name: "No profile yet" })).toBeVisible();
  await page.getByRole("button", { name: "Copy the command" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^profiler-plugin doctor /);
});

test("progress is shown while the server works, and can be cancelled", async ({ page, server }) => {
  const working = { progress: { stage: "decoding", fraction: 0.38 } };
  await page.route("**/data?**", (route) => route.fulfill({ status: 202, json: working }));
  await page.goto(`${server.address}/#run=${GPU}&tag=framework_op_stats`);
  await expect(page.getByText("Decoding 38 %")).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "38");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.unroute("**/data?**");
  await page.getByRole("button", { name: "Open it after all" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Framework ops");
});
