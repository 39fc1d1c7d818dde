/** The dialog that takes profiles, with real training programs on the other side. */
import { capture, dialog, openDialog } from "./capture";
import { startProgram, startStandalone, startTensorBoard, type Server } from "./servers";
import { expect, test as base, violations } from "./test";

interface Workers {
  training: Server;
  /** A server whose log directory captures may fill. */
  recorder: Server;
}

interface Tests {
  /** Two JAX programs: one with our profiler server, one with JAX's own. */
  jax: Server[];
}

const NOBODY = "127.0.0.1:1";
const test = base.extend<Tests, Workers>({
  jax: [
    // eslint-disable-next-line no-empty-pattern -- the library reads the names of fixtures from this pattern
    async ({}, use) => {
      const programs = await Promise.all([startProgram("jax_loop"), startProgram("jax_loop", "own")]);
      await use(programs);
      await Promise.all(programs.map((program) => program.stop()));
    },
    { scope: "test" },
  ],
  training: [
    // eslint-disable-next-line no-empty-pattern -- the library reads the names of fixtures from this pattern
    async ({}, use) => {
      const program = await startProgram("plain_loop");
      await use(program);
      await program.stop();
    },
    { scope: "worker" },
  ],
  recorder: [
    async ({ logs }, use) => {
      const server = await startStandalone(logs.folder("recorded"));
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

test("an empty log directory offers a capture, and shows the session that comes of it", async ({
  page,
  logs,
  training,
}) => {
  const server = await startStandalone(logs.folder("first"));
  await page.goto(server.address);
  await page.getByRole("main").getByRole("button", { name: "Capture profile" }).click();
  await expect(dialog(page).getByLabel("Addresses")).toBeFocused();
  await capture(page, training.address, "1500");
  await expect(dialog(page).getByText(/^Recording, [\d.]+ of 1.5 s$/)).toBeVisible();
  await expect(page.getByText(/^Recorded [\d,]+ events$/)).toBeVisible();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(page.getByRole("region", { name: "Verdict" })).toContainText("steps");
  await expect(page.getByRole("banner").getByRole("button", { name: /^Host/ })).toContainText(
    training.address.replace(":", "_"),
  );
  await server.stop();
});

test("a capture with its options becomes the session of that name", async ({ page, recorder, training }) => {
  await openDialog(page, recorder);
  await dialog(page).getByLabel("Python tracer").selectOption("1");
  await dialog(page).getByText("More", { exact: true }).click();
  await dialog(page).getByLabel("Session name").fill("my session");
  await capture(page, `grpc://${training.address}`, "300");
  await expect(page.getByRole("button", { name: /^Session/ })).toContainText("my session");
  await page.getByRole("link", { name: "Trace viewer" }).click();
  await expect(page.getByText("python", { exact: true }).first()).toBeVisible();
});

test("what is wrong is told beside its field, and nothing is sent", async ({ page, recorder }) => {
  let sent = 0;
  page.on("request", (request) => (sent += request.method() === "POST" ? 1 : 0));
  await openDialog(page, recorder);
  await capture(page, "no address", "0");
  const addresses = dialog(page).getByLabel("Addresses");
  await expect(addresses).toHaveAccessibleDescription("“no address” is no address: write host:port.");
  await expect(addresses).toBeFocused();
  await expect(dialog(page).getByLabel("Duration")).toHaveAccessibleDescription(
    /^Choose a whole number from 1/,
  );
  await dialog(page).getByLabel("A Cloud TPU by name").check();
  await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
  await expect(dialog(page).getByLabel("TPU", { exact: true })).toHaveAccessibleDescription("Name the TPU.");
  expect(sent).toBe(0);
});

test("of two hosts one fails: its cause and remedy are told, the other's profile is opened", async ({
  page,
  recorder,
  training,
}) => {
  await openDialog(page, recorder);
  await capture(page, `${training.address}, ${NOBODY}`, "300");
  await expect(dialog(page).getByText("1 of 2 hosts gave a profile")).toBeVisible();
  const hosts = dialog(page).getByRole("listitem");
  await expect(hosts.first()).toContainText(`${NOBODY}Failed (attempt 3 of 3)`);
  await expect(hosts.first()).toContainText(
    "Nothing listens at 127.0.0.1:1.Start the server in the training process",
  );
  await expect(hosts.last()).toContainText(/Written: [\d,]+ events, [\d.]+ KiB.*\.xplane\.pb/);
  await expect(page).toHaveURL(/run=20\d\d/);
});

test("where no host answers the cause is told, and it can be tried again", async ({ page, recorder }) => {
  await openDialog(page, recorder);
  await dialog(page).getByText("More", { exact: true }).click();
  await dialog(page).getByLabel("Retries").fill("0");
  await capture(page, NOBODY, "300");
  await expect(dialog(page).getByText("No profile was recorded")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Try again" }).click();
  await expect(dialog(page).getByLabel("Addresses")).toHaveValue(NOBODY);
});

test("a capture goes on without its dialog and is found after a reload, where it can be cancelled", async ({
  page,
  recorder,
  training,
}) => {
  await openDialog(page, recorder);
  await capture(page, training.address, "60000");
  await expect(dialog(page).getByText(/^Recording/)).toBeVisible();
  await page.reload();
  await expect(dialog(page).getByText(/^Recording/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await page.reload();
  await page.getByRole("button", { name: "Recording…" }).click();
  await dialog(page).getByRole("button", { name: "Cancel capture" }).click();
  await expect(dialog(page).getByText("The capture was cancelled", { exact: true })).toBeVisible();
});

test.describe("a server that ends", () => {
  test.use({ provoked: /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/ });

  test("is said not to answer, and after its restart to know nothing of the capture", async ({
    page,
    logs,
    training,
  }) => {
    const first = await startStandalone(logs.folder("restarted"));
    await page.goto(first.address);
    await page.getByRole("main").getByRole("button", { name: "Capture profile" }).click();
    await capture(page, training.address, "60000");
    await expect(dialog(page).getByText(/^Recording/)).toBeVisible();
    await first.stop();
    await expect(dialog(page).getByRole("alert")).toContainText("The server does not answer.");
    const port = new URL(first.address).port;
    const second = await startStandalone(logs.folder("restarted"), "--port", port);
    await expect(dialog(page).getByRole("alert")).toContainText("knows nothing of this capture");
    await second.stop();
  });
});

test("three programs are recorded into one session, whose workers are all shown", async ({
  page,
  recorder,
  training,
  jax,
}) => {
  const addresses = [training, ...jax].map((program) => program.address);
  await openDialog(page, recorder);
  await capture(page, addresses.join(", "), "500");
  await expect(dialog(page)).toBeHidden({ timeout: 30_000 });
  await page.getByRole("link", { name: "Workers" }).click();
  const names = addresses.map((address) => address.replace(":", "_"));
  for (const name of names) await expect(page.getByRole("gridcell", { name }).first()).toBeVisible();
  await page.getByRole("banner").getByRole("button", { name: /^Host/ }).click();
  await expect(page.getByRole("option")).toHaveCount(4);
});

test("whoever has closed the dialog is told when the profile is there", async ({
  page,
  recorder,
  training,
}) => {
  await openDialog(page, recorder);
  await capture(page, training.address, "1000");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  const before = page.url();
  await page.getByRole("button", { name: "Open new profile" }).click();
  await expect(page).not.toHaveURL(before);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(page.getByRole("button", { name: "Capture profile" })).toBeVisible();
});

test.describe("a target that is being recorded", () => {
  test.use({ provoked: /409 \(/ });

  test("is refused to a second capture, whose form says so", async ({ page, recorder, training }) => {
    await openDialog(page, recorder);
    await capture(page, training.address, "60000");
    await dialog(page).getByRole("button", { name: "Capture something else" }).click();
    await capture(page, training.address, "100");
    await expect(dialog(page).getByRole("alert")).toContainText(
      `${training.address} is being recorded already.`,
    );
    await page.reload();
    await dialog(page).getByRole("button", { name: "Cancel capture" }).click();
    await expect(dialog(page).getByText("The capture was cancelled", { exact: true })).toBeVisible();
  });
});

test("the last seconds are kept, taken and opened", async ({ page, recorder, training }) => {
  await openDialog(page, recorder);
  await dialog(page).getByRole("tab", { name: "The last seconds" }).click();
  await dialog(page).getByLabel("Address", { exact: true }).fill(training.address);
  await dialog(page).getByLabel("Keep").fill("1");
  await dialog(page).getByRole("button", { name: "Start keeping" }).click();
  await expect(dialog(page).getByRole("listitem")).toContainText("keeps its last 1 s");
  const before = page.url();
  await dialog(page).getByRole("button", { name: "Take snapshot" }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(page).not.toHaveURL(before);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.reload();
  await page.getByRole("button", { name: "Capture profile" }).click();
  await dialog(page).getByRole("tab", { name: "The last seconds" }).click();
  await dialog(page).getByRole("button", { name: "Stop" }).click();
  await expect(dialog(page).getByRole("listitem")).toHaveCount(0);
});

test("last seconds that are kept because somebody asked elsewhere are taken over", async ({
  page,
  logs,
  recorder,
  training,
}) => {
  const elsewhere = await startStandalone(logs.folder("elsewhere"));
  const asked = { data: { address: training.address }, headers: { "X-Profiler-Capture": "page" } };
  await page.request.post(`${elsewhere.address}/continuous/start`, asked);
  await elsewhere.stop();
  await openDialog(page, recorder);
  await dialog(page).getByRole("tab", { name: "The last seconds" }).click();
  await dialog(page).getByLabel("Address", { exact: true }).fill(training.address);
  await dialog(page).getByRole("button", { name: "Start keeping" }).click();
  await expect(dialog(page).getByRole("listitem")).toContainText("keeps its last seconds, asked elsewhere");
  await dialog(page).getByRole("button", { name: "Stop" }).click();
  await expect(dialog(page).getByRole("listitem")).toHaveCount(0);
});

test.describe("from another machine", () => {
  test.use({ extraHTTPHeaders: { "X-Forwarded-For": "192.0.2.1" } });

  test("the dialog says why nothing can be captured, and what to do", async ({ page, recorder }) => {
    await openDialog(page, recorder);
    await expect(dialog(page).getByRole("alert")).toContainText("PROFILER_CAPTURE_TOKEN");
  });

  test.describe("with a token", () => {
    test.use({ provoked: /403 \(/ });

    test("a capture is taken for whoever knows the token of the server", async ({ page, logs, training }) => {
      const server = await startStandalone(logs.folder("far"), "--capture-token", "secret");
      await page.goto(server.address);
      await page.getByRole("main").getByRole("button", { name: "Capture profile" }).click();
      const token = dialog(page).getByLabel("Capture token of this server");
      await token.fill("guess");
      await capture(page, training.address, "200");
      await expect(dialog(page).getByRole("alert")).toContainText("need the capture token");
      await token.fill("secret");
      await capture(page, training.address, "200");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
      await server.stop();
    });
  });
});

test.describe("in TensorBoard", () => {
  // TensorBoard asks for its own fonts without the path prefix.
  test.use({ provoked: /font-roboto/ });

  test("a capture is taken below a path prefix", async ({ page, logs, training }) => {
    const tensorboard = await startTensorBoard(logs.folder("tensorboard"), "/some/prefix");
    await page.goto(`${tensorboard.address}/#profile`);
    const plugin = page.frameLocator("iframe");
    await plugin.getByRole("main").getByRole("button", { name: "Capture profile" }).click();
    await capture(plugin, training.address, "300");
    await expect(plugin.getByRole("heading", { level: 1 })).toHaveText("Overview");
    await expect(page).toHaveURL(/p\.profile\.run=20\d\d/);
    await tensorboard.stop();
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious in the dialog, ${colorScheme}`, async ({ page, recorder, training }) => {
    await page.emulateMedia({ colorScheme });
    await openDialog(page, recorder);
    await dialog(page).getByText("More", { exact: true }).click();
    await dialog(page).getByLabel("Duration").fill("0");
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("tab", { name: "The last seconds" }).click();
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("tab", { name: "From now on" }).click();
    await capture(page, `${training.address},${NOBODY}`, "2000");
    await expect(dialog(page).getByText(/^Recording/)).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await expect(dialog(page).getByText("1 of 2 hosts gave a profile")).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}
