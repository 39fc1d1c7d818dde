/**
 * `test` of the browser tests. Each page is watched: an error on the console, an uncaught exception, a failed request, or
 * a request that leaves the origin fails the test.
 */
import { test as base, type ConsoleMessage, type Frame, type Page } from "@playwright/test";
import axe from "axe-core";
import { makeLogs, startStandalone, startTensorBoard, type Logs, type Server } from "./servers";

interface Workers {
  logs: Logs;
  server: Server;
  empty: Server;
  odd: Server;
  tensorboard: Server;
}

interface Tests {
  /** Console errors that this test provokes on purpose. */
  provoked: RegExp | null;
  watch: null;
}

export const test = base.extend<Tests, Workers>({
  logs: [
    // eslint-disable-next-line no-empty-pattern -- the library reads the names of fixtures from this pattern
    async ({}, use) => {
      const logs = makeLogs();
      await use(logs);
      logs.remove();
    },
    { scope: "worker" },
  ],
  server: [({ logs }, use) => during(startStandalone(logs.folder("logs")), use), { scope: "worker" }],
  empty: [({ logs }, use) => during(startStandalone(logs.folder("none")), use), { scope: "worker" }],
  odd: [({ logs }, use) => during(startStandalone(logs.folder("odd")), use), { scope: "worker" }],
  tensorboard: [
    ({ logs }, use) => during(startTensorBoard(logs.folder("logs"), "/some/prefix"), use),
    { scope: "worker" },
  ],
  provoked: [null, { option: true }],
  watch: [
    async ({ page, provoked }, use) => {
      const wrong: string[] = [];
      const note = (text: string): void => {
        if (!provoked?.test(text)) wrong.push(text);
      };
      page.on("console", (message: ConsoleMessage) => {
        if (message.type() === "error") note(`console: ${message.text()} ${message.location().url}`);
      });
      page.on("pageerror", (error) => note(`uncaught: ${error.stack ?? error.message}`));
      page.on("requestfailed", (request) => {
        const reason = request.failure()?.errorText;
        if (reason !== "net::ERR_ABORTED") note(`${reason}: ${request.url()}`);
      });
      page.on("request", (request) => {
        const { protocol, origin } = new URL(request.url());
        const home = new URL(page.url()).origin;
        if (protocol.startsWith("http") && home !== "null" && origin !== home)
          note(`left the origin: ${request.url()}`);
      });
      await use(null);
      base.expect(wrong).toEqual([]);
    },
    { auto: true },
  ],
});

export const expect = test.expect;

async function during(starting: Promise<Server>, test: (server: Server) => Promise<void>): Promise<void> {
  const server = await starting;
  await test(server);
  await server.stop();
}

export interface Place {
  run?: string;
  tool?: string;
  [param: string]: string | undefined;
}

/** Sessions of `logdir.py`. */
export const GPU = "gpu_train/2024_05_07_12_00_00";
export const KERAS = "keras_fit/2024_05_08_12_00_00";
export const JAX = "jax_train/2024_05_09_12_00_00";
export const TPU = "tpu_train/2024_05_06_12_00_00";
export const NOTHING = "nothing/2024_05_05_12_00_00";
export const POD = "gpu_pod/2024_05_01_12_00_00";
export const NO_STEPS = "no_steps/2024_04_02_12_00_00";
export const DAMAGED = "damaged/2024_04_01_12_00_00";

/** Opens a view and waits until it is there. */
export async function open(page: Page, server: Server, { run, tool, ...params }: Place = {}): Promise<void> {
  const values = Object.entries({ run, tag: tool, ...params }).filter(
    (entry): entry is [string, string] => !!entry[1],
  );
  await page.goto(`${server.address}/#${values.map(([key, value]) => `${key}=${value}`).join("&")}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Serious accessibility violations that axe finds, with the elements. */
export async function violations(frame: Page | Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const found = await frame.evaluate(() => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    return inPage.run(document, { resultTypes: ["violations"] });
  });
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`),
    );
}
