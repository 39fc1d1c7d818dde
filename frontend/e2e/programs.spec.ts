/**
 * The dialog and real training programs with our server in them. `PROGRAMS` are of tests/capture/programs and run with
 * `PROGRAM_PYTHON`: `scripts/frameworks` names those of each framework.
 */
import { capture, dialog, openDialog } from "./capture";
import { startProgram, startStandalone } from "./servers";
import { expect, test } from "./test";

const PROGRAMS = (process.env["PROGRAMS"] ?? "plain_loop jax_loop").split(" ");
const LATER = { timeout: 60_000 }; // frameworks take their time
/** An op that each framework runs in every step. */
const OPS: Record<string, string> = { tensorflow_loop: "MatMul", torch_loop: "addmm" };

for (const name of PROGRAMS) {
  test(`${name} is recorded from the dialog, and its steps are counted`, async ({ page, logs }) => {
    test.slow();
    const [server, program] = await Promise.all([startStandalone(logs.folder(name)), startProgram(name)]);
    try {
      await openDialog(page, server);
      await capture(page, program.address, "1500");
      await expect(page.getByText(/^Recorded [\d,]+ events$/)).toBeVisible(LATER);
      await expect(dialog(page)).toBeHidden();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview", LATER);

      const [run] = (await (await page.request.get(`${server.address}/runs`)).json()) as string[];
      const asked = `${server.address}/data?run=${run}&tag=overview_page`;
      const overview = (await (await page.request.get(asked)).json()) as {
        tables: { steps: { rows: number } };
      };
      const steps = overview.tables.steps.rows;
      expect(steps).toBeGreaterThan(2);
      await expect(page.getByRole("region", { name: "Verdict" })).toContainText(
        `Over ${steps.toLocaleString("en-US")} steps of`,
        LATER,
      );

      const op = OPS[name];
      if (op) {
        await page.getByRole("link", { name: "Framework ops", exact: true }).click();
        await expect(page.getByRole("gridcell", { name: new RegExp(op, "i") }).first()).toBeVisible(LATER);
      }
    } finally {
      await Promise.all([program.stop(), server.stop()]);
    }
  });
}
