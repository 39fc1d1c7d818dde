import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expect, GPU, JAX, open, POD, test, violations } from "./test";
import { click, drag, END, heading, MS, opacity, pane, point, status, view } from "./timeline";

test.beforeEach(async ({ page, server }, { title }) => {
  if (title.startsWith("a link")) return;
  await open(page, server, { run: GPU, tool: "trace_viewer" });
  await expect(status(page)).toContainText("events in view");
});

test("steps come first, then devices, then host threads", async ({ page }) => {
  await expect(page.locator(".tl-headings .tl-name")).toHaveText([
    "Steps",
    "/device:GPU:0",
    "Steps",
    "Stream #7(Compute)",
    "Framework Name Scope - from #7",
    "Framework Ops - from #7",
    "Stream #8(MemcpyH2D)",
    "/host:CPU",
    "python",
  ]);
  await expect(status(page)).toContainText("102 events in view");
});

for (const steps of [true, false])
  test(`nothing moves once it is known whether there are steps: ${String(steps)}`, async ({ page }) => {
    const rest = (result: Overview): Overview => without(result, "section", -1);
    const find = await holdBack(page, rest, steps ? undefined : rest);
    await page.reload();
    await expect(page.getByText("Looking for steps…")).toBeVisible();
    const before = await heading(page, "Stream #7").boundingBox();
    find();
    await expect(page.getByText("Looking for steps…")).toBeHidden();
    if (steps) await expect(page.locator(".tl-headings .tl-name").first()).toHaveText("Steps");
    else await expect(page.getByText("No steps in this profile")).toBeVisible();
    expect(await heading(page, "Stream #7").boundingBox()).toEqual(before);
  });

for (const looked of ["scrolled to", "pointed at", "selected"])
  test(`a track that was ${looked} stays in its place when others are found`, async ({ page, server }) => {
    const track = looked === "scrolled to" ? "Stream #7" : "Stream #8";
    const scrolled = (): Promise<number> => page.locator(".tl-scroll").evaluate(({ scrollTop }) => scrollTop);
    await page.setViewportSize({ width: 1280, height: 400 });
    const find = await holdBack(page);
    await open(page, server, { run: POD, tool: "trace_viewer", host: "ALL_HOSTS" });
    await expect(page.getByText("Looking for steps…")).toBeVisible();
    const { x, y } = await point(page, track, 1.28 * MS);
    if (looked === "scrolled to") {
      await page.locator(".tl-scroll").evaluate((area) => area.scrollBy(0, 999));
      await expect(heading(page, "Stream #8")).toBeInViewport({ ratio: 1 });
    } else if (looked === "pointed at") await page.mouse.move(x, y);
    else {
      await page.mouse.click(x, y);
      await expect(pane(page)).toContainText("MemcpyH2D");
      await page.mouse.move(0, 0);
    }
    const [before, top] = [await heading(page, track).boundingBox(), await scrolled()];
    find();
    await expect.poll(scrolled).toBeGreaterThan(top);
    await expect(heading(page, "Framework Ops")).toBeVisible();
    expect(await heading(page, track).boundingBox()).toEqual(before);
  });

test("a timeline at its top stays there when tracks are found", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 400 });
  const find = await holdBack(page);
  await page.reload();
  await expect(page.getByText("Looking for steps…")).toBeVisible();
  find();
  await expect(heading(page, "Steps").first()).toBeVisible();
  expect(await page.locator(".tl-scroll").evaluate(({ scrollTop }) => scrollTop)).toBe(0);
});

test("several hosts show what they recorded before their steps, and then how well their clocks agree", async ({
  page,
  server,
}) => {
  const find = await holdBack(page);
  await open(page, server, { run: POD, tool: "trace_viewer", host: "ALL_HOSTS" });
  await expect(page.getByText("Looking for steps…")).toHaveCount(2);
  await expect(page.locator(".tl-headings .tl-name")).toHaveText([
    "worker-0 /device:GPU:0",
    "Stream #7(Compute)",
    "Stream #8(MemcpyH2D)",
    "worker-0 /host:CPU",
    "python",
    "worker-1 /device:GPU:0",
    "Stream #7(Compute)",
    "Stream #8(MemcpyH2D)",
    "worker-1 /host:CPU",
    "python",
  ]);
  const remarks = page.getByRole("button", { name: "on the data" });
  const count = async (): Promise<number> => parseInt(await remarks.innerText());
  const before = await count();
  find();
  await expect(heading(page, "worker-1 Steps")).toBeVisible();
  await expect.poll(count).toBe(before + 1);
  await remarks.click();
  await expect(page.getByText("All hosts have 6 steps in common")).toBeVisible();
});

test("events are drawn where they are, and nothing where there are none", async ({ page }) => {
  await expect.poll(() => opacity(page, "Stream #7", 0.42 * MS)).toBe(255);
  expect(await opacity(page, "Stream #7", 0.9 * MS)).toBe(0);
  expect(await opacity(page, "python", 0.5 * MS, 0)).toBe(255);
  expect(await opacity(page, "python", 0.7 * MS, 1)).toBe(0);
});

test("a click selects an event, tells all about it, and the address keeps it", async ({ page }) => {
  await click(page, "Stream #7", 1.42 * MS);
  await expect(pane(page).getByRole("heading", { level: 2 })).toHaveText("conv_fprop_f16");
  await expect(pane(page)).toContainText("model/conv:Conv2D");
  await expect(pane(page)).toContainText("200 µs");
  await expect(pane(page)).toContainText("train 1");
  await expect(page.locator(".tl [aria-live=polite]")).toContainText("conv_fprop_f16, 200 µs");
  await expect(page).toHaveURL(/event=\d+/);
  await page.reload();
  await expect(pane(page).getByRole("heading", { level: 2 })).toHaveText("conv_fprop_f16");
  await page.keyboard.press("Escape");
  await expect(pane(page)).toBeHidden();
});

test("links lead to the launch of a kernel, and back", async ({ page }) => {
  await click(page, "Stream #7", 1.42 * MS);
  await pane(page).getByRole("button", { name: "cuLaunchKernel" }).first().click();
  await expect(pane(page).getByRole("heading", { level: 2 })).toHaveText("cuLaunchKernel");
  await expect(pane(page).getByRole("button", { name: "conv_fprop_f16" })).toBeVisible();
});

test("keys zoom, move, fit and show the whole profile", async ({ page }) => {
  await page.keyboard.press("w", { delay: 400 });
  await expect.poll(async () => (await view(page)).end).toBeLessThan(END * 0.95);
  expect((await view(page)).start).toBeGreaterThan(0);
  await page.keyboard.press("0");
  await expect(page).not.toHaveURL(/start_ps/);
  await click(page, "Stream #7", 2.42 * MS);
  await page.keyboard.press("f");
  await expect.poll(async () => (await view(page)).start / MS).toBeCloseTo(2.3, 2);
  expect((await view(page)).end / MS).toBeCloseTo(2.54, 2);
  await page.keyboard.press("f");
  await expect(page).not.toHaveURL(/start_ps/);
});

test("arrows and brackets go from event to event", async ({ page }) => {
  const name = pane(page).getByRole("heading", { level: 2 });
  await click(page, "Stream #7", 1.42 * MS);
  await expect(name).toHaveText("conv_fprop_f16");
  await expect(pane(page)).toContainText("1.32 ms");
  await page.keyboard.press("ArrowRight");
  await expect(name).toHaveText("relu_kernel"); // the kernel between overlaps it and has a lane of its own
  await page.keyboard.press("ArrowLeft");
  await expect(name).toHaveText("conv_fprop_f16");
  await page.keyboard.press("]");
  await expect(pane(page)).toContainText("2.32 ms");
  await page.keyboard.press("[");
  await expect(pane(page)).toContainText("1.32 ms");
  await click(page, "python", 1.4 * MS, 1);
  await expect(name).toHaveText("EagerKernelExecute");
  await page.keyboard.press("ArrowUp");
  await expect(name).toHaveText("train");
  await page.keyboard.press("ArrowDown");
  await expect(name).toHaveText("IteratorGetNextOp::DoCompute");
  await page.keyboard.press("Enter");
  await expect(pane(page)).toBeFocused();
});

test("search counts all hits and goes through them", async ({ page }) => {
  await page.keyboard.press("/");
  await page.keyboard.type("SGEMM");
  const search = page.getByRole("search");
  await expect(search.getByRole("status")).toHaveText("6 hits");
  await page.keyboard.press("Enter");
  await expect(search.getByRole("status")).toHaveText("1 of 6");
  await expect(pane(page)).toContainText("440 µs");
  await page.keyboard.press("Shift+Enter");
  await expect(search.getByRole("status")).toHaveText("6 of 6");
  await expect(page).toHaveURL(/search=SGEMM/);
  await expect.poll(() => opacity(page, "Stream #7", 5.4 * MS)).toBeLessThan(100);
  await search.getByRole("button", { name: "Regular expression" }).click();
  await search.getByRole("searchbox").fill("^(sgemm|relu)");
  await expect(search.getByRole("status")).toHaveText("18 hits");
});

test("an answer to what was typed before does not replace what is typed now", async ({ page }) => {
  const box = page.getByRole("search").getByRole("searchbox");
  await page.route(
    (address) => address.searchParams.get("text") === "sgemm",
    async (route) => {
      await box.fill("relu");
      await route.continue();
    },
    { times: 1 },
  );
  await box.fill("sgemm");
  await expect(box).toHaveValue("relu");
  await expect(page).toHaveURL(/search=relu/);
  await expect(box).toHaveValue("relu");
});

test.describe("a search that cannot be read", () => {
  test.use({ provoked: /400 \(/ });

  test("says why", async ({ page }) => {
    const search = page.getByRole("search");
    await search.getByRole("button", { name: "Regular expression" }).click();
    await search.getByRole("searchbox").fill("(");
    await expect(status(page).getByRole("alert")).toContainText("no regular expression");
    await search.getByRole("searchbox").fill("");
    await expect(status(page).getByRole("alert")).toBeHidden();
  });
});

test("an area is added up by name", async ({ page }) => {
  const from = await point(page, "Stream #7", 0.9 * MS);
  const to = await point(page, "Stream #8", 2.9 * MS);
  await page.keyboard.down("Shift");
  await drag(page, from, to);
  await page.keyboard.up("Shift");
  await expect(pane(page)).toContainText("on 4 tracks");
  const row = pane(page).getByRole("row").filter({ hasText: "conv_fprop_f16" });
  await expect(row.getByRole("gridcell").nth(1)).toHaveText("2");
  await expect(row).toContainText("400");
  await expect(pane(page).getByRole("row").filter({ hasText: "MemcpyH2D" })).toBeVisible();
  await pane(page).getByRole("button", { name: "By track" }).click();
  await expect(row.getByRole("gridcell").nth(1)).toHaveText("Stream #7(Compute)");
  await expect(row.getByRole("gridcell").nth(2)).toHaveText("2");
  await page.keyboard.press("Escape");
  await expect(pane(page)).toBeHidden();
});

test("all events of the selected one's name are added up by track", async ({ page }) => {
  await click(page, "Stream #7", 1.42 * MS);
  await pane(page).getByRole("button", { name: "All of this name" }).click();
  const row = pane(page).getByRole("row").filter({ hasText: "conv_fprop_f16" });
  await expect(row.getByRole("gridcell").nth(1)).toHaveText("Stream #7(Compute)");
  await expect(row.getByRole("gridcell").nth(2)).toHaveText("6");
  await expect(row).toContainText("1.2");
  await page.keyboard.press("]");
  await expect(pane(page)).toContainText("2.32 ms");
  await expect(row).toBeVisible(); // of the same name
});

test("the four tools: pan, zoom, timing, select", async ({ page }) => {
  const before = await view(page);
  await page.keyboard.press("3");
  await drag(page, await point(page, "python", 1 * MS), await point(page, "python", 3 * MS));
  await expect.poll(async () => (await view(page)).start / MS).toBeCloseTo(1, 1);
  expect((await view(page)).end / MS).toBeCloseTo(3, 1);
  await page.keyboard.press("2");
  await drag(page, await point(page, "python", 2 * MS), await point(page, "python", 1.5 * MS));
  await expect.poll(async () => (await view(page)).start / MS).toBeCloseTo(1.5, 1);
  await page.keyboard.press("4");
  // Edges of events a few pixels away are met exactly: from the end of one kernel to the start of the next.
  await drag(page, await point(page, "Stream #7", 2.519 * MS), await point(page, "Stream #7", 2.561 * MS));
  await expect(status(page)).toContainText("Interval of 40 µs from 2.52");
  await expect(page).toHaveURL(/interval=/);
  await page.reload();
  await expect(status(page)).toContainText("Interval of 40 µs from 2.52");
  await expect(page.getByRole("button", { name: "Timing" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await drag(page, await point(page, "Stream #7", 2.1 * MS), await point(page, "Stream #7", 3.1 * MS));
  await expect(pane(page)).toContainText("on 1 track");
  expect(before.end).toBeGreaterThan(END);
});

test("the wheel zooms at the pointer with Ctrl, and moves along the time with Shift", async ({ page }) => {
  const { x, y } = await point(page, "python", 3 * MS);
  await page.mouse.move(x, y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await expect(page).toHaveURL(/start_ps/);
  const zoomed = await view(page);
  expect((await point(page, "python", 3 * MS)).x).toBeCloseTo(x, -1);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 200);
  await page.keyboard.up("Shift");
  await expect.poll(async () => (await view(page)).start).toBeGreaterThan(zoomed.start);
});

test("ruler and map zoom and move the window", async ({ page }) => {
  const ruler = await page.locator(".tl-ruler").boundingBox();
  const map = await page.locator(".tl-map").boundingBox();
  if (!ruler || !map) throw new Error("no ruler");
  await drag(page, { x: ruler.x + 100, y: ruler.y + 10 }, { x: ruler.x + 300, y: ruler.y + 10 });
  await expect(page).toHaveURL(/start_ps/);
  const { start, end } = await view(page);
  expect((end - start) / END).toBeCloseTo((200 / ruler.width) * 1.02, 1);
  await page.mouse.click(map.x + map.width * 0.8, map.y + 20);
  await expect
    .poll(async () => ((await view(page)).start + (await view(page)).end) / 2 / END)
    .toBeCloseTo(0.8, 1);
  const moved = await view(page);
  const edge = { x: map.x + (moved.end / END) * map.width, y: map.y + 20 };
  await drag(page, edge, { x: map.x + 0.95 * map.width, y: edge.y });
  await expect.poll(async () => (await view(page)).end / END).toBeCloseTo(0.95, 2);
  expect((await view(page)).start).toBeCloseTo(moved.start, -6);
});

test("sections fold; tracks are pinned, flattened, hidden, and shown again", async ({ page }) => {
  await page.getByRole("button", { name: "/device:GPU:0" }).click();
  await expect(heading(page, "Stream #7")).toBeHidden();
  await page.getByRole("button", { name: "/device:GPU:0" }).click();
  await page.getByRole("button", { name: "Pin python to the top" }).click();
  await expect(page.locator(".tl-headings .tl-name").first()).toHaveText("python");
  await expect(page).toHaveURL(/pinned=/);
  const tall = (await heading(page, "python").boundingBox())?.height ?? 0;
  await page.getByRole("button", { name: "Flatten python" }).click();
  await expect.poll(async () => (await heading(page, "python").boundingBox())?.height).toBeLessThan(tall);
  await page.getByRole("button", { name: "Hide Stream #8(MemcpyH2D)" }).click();
  await expect(heading(page, "Stream #8")).toBeHidden();
  await page.getByRole("button", { name: "Show 1 hidden track" }).click();
  await expect(heading(page, "Stream #8")).toBeVisible();
});

test("the pointer names what is under it", async ({ page }) => {
  const { x, y } = await point(page, "Stream #7", 3.42 * MS);
  await page.mouse.move(x, y);
  await expect(page.locator(".tl-hover")).toContainText("conv_fprop_f16");
  await expect(page.locator(".tl-hover")).toContainText("200 µs");
});

test("a mark stays, and goes when set again", async ({ page }) => {
  const { x, y } = await point(page, "Stream #7", 3.42 * MS);
  const marked = (): Promise<boolean> =>
    page.locator(".tl-ruler canvas").evaluate((canvas: HTMLCanvasElement, at) => {
      const box = canvas.getBoundingClientRect();
      const data = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
        at - box.x,
        20,
        1,
        1,
      ).data;
      return (data[0] as number) > (data[2] as number) + 80;
    }, x);
  await page.mouse.move(x, y);
  await page.keyboard.press("m");
  await expect.poll(marked).toBe(true);
  await page.keyboard.press("m");
  await expect.poll(marked).toBe(false);
});

test("events are coloured by name, step, kind of op or duration, and the address keeps it", async ({
  page,
}) => {
  const choice = page.getByLabel("Colour by");
  const legend = page.getByRole("list", { name: "Colours" });
  await expect(legend).toBeHidden();
  await choice.selectOption("kind of op");
  await expect(legend).toContainText("Conv2D");
  await expect(page).toHaveURL(/colour=category/);
  await choice.selectOption("duration");
  await expect(legend).toContainText("100 µs");
  await choice.selectOption("step");
  await expect(legend).toContainText("outside of steps");
  await expect(page).toHaveURL(/colour=step/);
  await page.reload();
  await expect(choice).toHaveValue("step");
});

test("a question mark lists the keys", async ({ page }) => {
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("previous, next event of the same name");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a link opens its window, and a link to a name its search", async ({ page, server }) => {
  const window = { start_ps: String(2 * MS), end_ps: String(3 * MS) };
  await open(page, server, { run: GPU, tool: "trace_viewer", search: "relu", ...window });
  await expect(status(page)).toContainText("1 ms from 2 ms");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("12 hits");
});

test("every event of a real capture is counted", async ({ page, server }) => {
  await open(page, server, { run: JAX, tool: "trace_viewer" });
  const whole = await page.evaluate(async (run) => {
    const answer = await fetch(`data?run=${run}&tag=trace_viewer`);
    const { tables } = (await answer.json()) as {
      tables: { tracks: { columns: { name: string; values: number[] }[] } };
    };
    const events = tables.tracks.columns.find((column) => column.name === "events")?.values ?? [];
    return events.reduce((sum, count) => sum + count, 0);
  }, JAX);
  await page.setViewportSize({ width: 1280, height: 4000 });
  await expect(status(page)).toContainText(`${whole.toLocaleString("en-US")} events in view`);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`there is no serious barrier in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await click(page, "Stream #7", 1.42 * MS);
    await expect(pane(page)).toContainText("model/conv:Conv2D");
    expect(await violations(page)).toEqual([]);
  });
}

test("events are downloaded for other viewers, all or what is in view", async ({ page, server }) => {
  const window = { start_ps: String(2 * MS), end_ps: String(3 * MS) };
  await open(page, server, { run: GPU, tool: "trace_viewer", ...window });
  const names = async (choice: string): Promise<string[]> => {
    await page.getByRole("button", { name: "Download events for other viewers" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: choice, exact: true }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^gpu_train\w*\.trace\.json\.gz$/);
    const text = gunzipSync(readFileSync(await download.path())).toString();
    const events = (JSON.parse(text) as { traceEvents: { ph: string; name: string }[] }).traceEvents;
    return events.filter((event) => event.ph === "X").map((event) => event.name);
  };
  expect((await names("Chrome trace events, whole profile")).filter((name) => name === "train")).toHaveLength(
    6,
  );
  expect(
    (await names("Chrome trace events, what is in view")).filter((name) => name === "train"),
  ).toHaveLength(1);
});

interface Overview {
  tables: Record<string, { rows: number; columns: { name: string; values: unknown[] }[] }>;
  metrics: object[];
  notes: { cause: string }[];
}

/** The server answers as it does about a long profile: at first what was recorded, all else after the returned call. */
async function holdBack(
  page: Page,
  early = (result: Overview): Overview => without(result, "id", null),
  found = (result: Overview): Overview => result,
): Promise<() => void> {
  let find = (): void => undefined;
  const searched = new Promise<void>((resolve) => (find = resolve));
  await page.route("**/data?**", async (route) => {
    const response = await route.fetch();
    const result = early((await response.json()) as Overview);
    const later = { name: "later", value: 1, unit: "", label: "", description: "" };
    const notes = result.notes.filter(({ cause }) => !cause.includes("steps"));
    await route.fulfill({ response, json: { ...result, metrics: [...result.metrics, later], notes } });
  });
  await page.route("**/query?**name=overview**", async (route) => {
    const response = await route.fetch();
    await searched;
    await route.fulfill({ response, json: found((await response.json()) as Overview) });
  });
  return () => find();
}

/** What is said about the tracks, but for those with a value in a column. */
function without({ tables, ...rest }: Overview, column: string, value: unknown): Overview {
  const { tracks, ...others } = tables as { tracks: Overview["tables"][string] };
  const values = tracks.columns.find(({ name }) => name === column)?.values ?? [];
  const rows = values.flatMap((each, row) => (each === value ? [] : [row]));
  const columns = tracks.columns.map((each) => ({ ...each, values: rows.map((row) => each.values[row]) }));
  return { ...rest, tables: { ...others, tracks: { rows: rows.length, columns } } };
}
