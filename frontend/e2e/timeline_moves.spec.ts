/** Moving around on a timeline with mouse, fingers and keys, and moving its tracks. */
import { cpSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, GPU, JAX, open, test } from "./test";
import { click, drag, field, heading, MS, pane, point, status, view } from "./timeline";

test.beforeEach(async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "trace_viewer" });
  await expect(status(page)).toContainText("102 events in view");
});

const tracks = (page: Page) => page.locator(".tl-headings .tl-track .tl-name");
const DERIVED = ["Framework Name Scope - from #7", "Framework Ops - from #7"];
const GPU_TRACKS = ["Steps", "Steps", "Stream #7(Compute)", ...DERIVED, "Stream #8(MemcpyH2D)", "python"];

test("the arrow keys move a track by its handle, and a link keeps the order", async ({ page }) => {
  const [scopes, ops] = DERIVED as [string, string];
  const moved = ["Steps", "Steps", "Stream #7(Compute)", scopes, "Stream #8(MemcpyH2D)", ops, "python"];
  const handle = page.getByRole("button", { name: "Move Stream #8" });
  await handle.focus();
  await page.keyboard.press("ArrowUp");
  await expect(tracks(page)).toHaveText(moved);
  await expect(page.locator(".tl [aria-live=polite]")).toContainText(
    "Stream #8(MemcpyH2D) is now track 4 of 5",
  );
  await expect(page).toHaveURL(/order=/);
  await page.reload();
  await expect(tracks(page)).toHaveText(moved);
  await handle.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown"); // is at the bottom already
  await expect(tracks(page)).toHaveText(GPU_TRACKS);
  await expect(handle).toBeFocused();
});

test("a track is dragged by its handle, also among the pinned ones", async ({ page }) => {
  const above = await heading(page, "Stream #7").boundingBox();
  if (!above) throw new Error("no track");
  await heading(page, "Stream #8").hover();
  const handle = await page.getByRole("button", { name: "Move Stream #8" }).boundingBox();
  if (!handle) throw new Error("no handle");
  const x = handle.x + handle.width / 2;
  await drag(page, { x, y: handle.y + handle.height / 2 }, { x, y: above.y + 2 });
  await expect(tracks(page)).toHaveText([
    "Steps",
    "Steps",
    "Stream #8(MemcpyH2D)",
    "Stream #7(Compute)",
    ...DERIVED,
    "python",
  ]);
  await page.getByRole("button", { name: "Pin python to the top" }).click();
  await page.getByRole("button", { name: "Pin Stream #7" }).click();
  await expect(tracks(page).nth(1)).toHaveText("Stream #7(Compute)");
  await page.getByRole("button", { name: "Move Stream #7" }).focus();
  await page.keyboard.press("ArrowUp");
  await expect(tracks(page)).toHaveText([
    "Stream #7(Compute)",
    "python",
    "Steps",
    "Steps",
    "Stream #8(MemcpyH2D)",
    ...DERIVED,
  ]);
});

test("a touch pad moves along the time", async ({ page }) => {
  await page.keyboard.press("3");
  await drag(page, await point(page, "python", 1 * MS), await point(page, "python", 3 * MS));
  await expect(page).toHaveURL(/start_ps/);
  const before = await view(page);
  const { x, y } = await point(page, "python", 2 * MS);
  await page.mouse.move(x, y);
  await page.mouse.wheel(120, 10);
  await expect.poll(async () => (await view(page)).start).toBeGreaterThan(before.start);
  const after = await view(page);
  expect(after.end - after.start).toBeCloseTo(before.end - before.start, -3);
});

test.describe("with fingers", () => {
  test.use({ hasTouch: true });

  test("two of them zoom, and what is between them stays", async ({ page }) => {
    const client = await page.context().newCDPSession(page);
    const at = await point(page, "python", 3 * MS);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number): Promise<unknown> =>
      client.send("Input.dispatchTouchEvent", {
        type,
        touchPoints:
          type === "touchEnd"
            ? []
            : [
                { x: at.x - apart, y: at.y, id: 1 },
                { x: at.x + apart, y: at.y, id: 2 },
              ],
      });
    await touch("touchStart", 40);
    for (const apart of [60, 80, 120, 160]) await touch("touchMove", apart);
    await touch("touchEnd", 0);
    await expect(page).toHaveURL(/start_ps/);
    const { start, end } = await view(page);
    expect(end - start).toBeLessThan(3 * MS);
    expect((await point(page, "python", 3 * MS)).x).toBeCloseTo(at.x, -1);
    await expect(pane(page)).toBeHidden();
  });
});

test("tracks scroll below the ruler, and the names of section and track stay", async ({ page, server }) => {
  await page.setViewportSize({ width: 1280, height: 330 });
  await open(page, server, { run: JAX, tool: "trace_viewer" });
  await expect(status(page)).toContainText("in view");
  const ruler = await page.locator(".tl-ruler").boundingBox();
  const box = await field(page).boundingBox();
  if (!box || !ruler) throw new Error("no timeline");
  await page.mouse.move(box.x + 300, box.y + 40);
  await page.mouse.wheel(0, 70);
  await expect(page.locator(".tl-stuck")).toContainText("/host:CPU");
  await expect
    .poll(() => page.locator(".tl-track .tl-name").filter({ hasText: "python" }).boundingBox())
    .toMatchObject({ y: ((await page.locator(".tl-stuck").boundingBox())?.y as number) + 26 });
  expect((await page.locator(".tl-ruler").boundingBox())?.y).toBe(ruler.y);
});

test("Enter selects the first event in view for those who have no mouse", async ({ page }) => {
  await field(page).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".tl [aria-live=polite]")).toContainText("train 0");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".tl [aria-live=polite]")).toContainText("train 1");
});

test("shift and an arrow go to the nearest event on the track beside", async ({ page }) => {
  const said = page.locator(".tl [aria-live=polite]");
  await click(page, "Stream #7", 1.42 * MS);
  await expect(said).toContainText("conv_fprop_f16");
  await page.keyboard.press("Shift+ArrowDown");
  await expect(said).toContainText("model, 290 µs at 1.32 ms, on Framework Name Scope");
  await page.keyboard.press("Shift+ArrowUp");
  await expect(said).toContainText("on Stream #7");
  await page.keyboard.press("ArrowUp");
  await expect(said).toContainText("No parent");
});

test("the timeline comes before the names of its tracks for those who go through the page by key", async ({
  page,
}) => {
  await page.getByRole("button", { name: "Keys", exact: true }).focus();
  await page.keyboard.press("Tab");
  await expect(field(page)).toBeFocused();
});

test("a tap on a key moves, however short it is", async ({ page }) => {
  const before = await view(page);
  await page.keyboard.press("w");
  await expect
    .poll(async () => (await view(page)).end - (await view(page)).start)
    .toBeLessThan(0.9 * (before.end - before.start));
  const closer = await view(page);
  await page.keyboard.press("d");
  await expect.poll(async () => (await view(page)).start).toBeGreaterThan(closer.start + 0.02 * MS);
});

test.describe("a server that is away for a while", () => {
  test.use({ provoked: /CONNECTION_REFUSED/ });

  test("is asked again, and then all is well", async ({ page }) => {
    await page.route("**/query?**", (route) => route.abort("connectionrefused"));
    await page.keyboard.press("3");
    await drag(page, await point(page, "python", 1 * MS), await point(page, "python", 1.5 * MS));
    await expect(status(page).getByRole("alert")).toContainText("The server does not answer.");
    await page.unroute("**/query?**");
    await expect(status(page)).toContainText("15 events in view");
    await expect(status(page).getByRole("alert")).toBeHidden();
  });
});

test.describe("a profile that is recorded anew while it is looked at", () => {
  test.use({ provoked: /410 \(/ });

  test("takes the place of the one before", async ({ page, server, logs }) => {
    const remove = logs.add("2024_06_03_12_00_00");
    const files = logs.folder("logs/late/plugins/profile/2024_06_03_12_00_00");
    await page.goto("about:blank");
    await open(page, server, { run: "late/2024_06_03_12_00_00", tool: "trace_viewer" });
    await expect(heading(page, "Stream #7")).toBeVisible();
    cpSync(logs.folder(`logs/${JAX.replace("/", "/plugins/profile/")}`), files, { recursive: true });
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect(heading(page, "Stream #7")).toBeHidden();
    await expect(heading(page, "python").first()).toBeVisible();
    await expect(status(page)).toContainText("in view");
    remove();
  });
});

test("arrows lead from the launch to its kernel", async ({ page }) => {
  const drawn = (): Promise<number> =>
    field(page)
      .locator("> canvas")
      .evaluate((canvas: HTMLCanvasElement) => {
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let blue = 0;
        for (let i = 0; i < data.length; i += 4)
          if ((data[i + 3] as number) > 200 && (data[i + 2] as number) > (data[i] as number) + 120) blue++;
        return blue;
      });
  await click(page, "Stream #7", 1.42 * MS);
  await expect(pane(page)).toContainText("Caused by");
  const linked = await drawn();
  await page.getByRole("button", { name: "Hide python" }).click(); // there the launch is
  await expect.poll(drawn).toBeLessThan(linked - 40);
});
