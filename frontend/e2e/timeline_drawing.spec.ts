/** Both ways of drawing the timeline, on the same frames. WebGL runs on the processor here. */
import type { Page } from "@playwright/test";
import { expect, GPU, JAX, open, test, type Place } from "./test";
import type { Server } from "./servers";

const MS = 1e9;

/** Pixels of the events as they are shown, without what lies on top of them. */
async function picture(page: Page, server: Server, place: Place): Promise<string> {
  await page.goto("about:blank");
  await open(page, server, { tool: "trace_viewer", ...place });
  await expect(page.locator(".tl-status")).toContainText("in view");
  await page.addStyleTag({ content: ".tl-field > canvas, .tl-hover { display: none }" });
  const shot = await page.getByRole("application").screenshot();
  return shot.toString("base64");
}

/** Share of pixels in which two PNG images differ by more than `tolerance` of 255 in a channel, and of coloured ones. */
async function compare(
  page: Page,
  pictures: string[],
  tolerance: number,
): Promise<{ differ: number; drawn: number }> {
  return page.evaluate(
    async ({ pictures, tolerance }) => {
      const read = async (base64: string): Promise<Uint8ClampedArray> => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        if (!context) throw new Error("no canvas");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [a, b] = (await Promise.all(pictures.map(read))) as [Uint8ClampedArray, Uint8ClampedArray];
      if (a.length !== b.length) throw new Error("The pictures differ in size.");
      let differ = 0;
      let drawn = 0;
      for (let i = 0; i < a.length; i += 4) {
        const away = [0, 1, 2].map((c) => Math.abs((a[i + c] as number) - (b[i + c] as number)));
        if (Math.max(...away) > tolerance) differ++;
        const [r, g, blue] = [a[i], a[i + 1], a[i + 2]] as [number, number, number];
        if (Math.max(r, g, blue) - Math.min(r, g, blue) > 20) drawn++;
      }
      return { differ: (differ * 4) / a.length, drawn: (drawn * 4) / a.length };
    },
    { pictures, tolerance },
  );
}

const FRAMES: [string, Place][] = [
  ["a whole profile", { run: JAX }],
  ["a part of it", { run: JAX, start_ps: String(20 * MS), end_ps: String(31 * MS) }],
  ["kernels close by", { run: GPU, start_ps: String(MS), end_ps: String(3 * MS) }],
  ["a search", { run: GPU, search: "sgemm" }],
];

test.describe("with a graphics card and without one", () => {
  // The page's own rules forbid the data: address that `compare` reads.
  test.use({ bypassCSP: true });

  for (const [name, place] of FRAMES) {
    test(`${name} looks the same`, async ({ page, server }) => {
      const drawing = page.locator("[data-renderer]");
      const scanLine = await picture(page, server, { ...place, renderer: "scanline" });
      await expect(drawing).toHaveAttribute("data-renderer", "scan-line");
      const webGl = await picture(page, server, { ...place, renderer: "webgl" });
      await expect(drawing).toHaveAttribute("data-renderer", "WebGL 2");
      const { differ, drawn } = await compare(page, [scanLine, webGl], 4);
      expect(drawn).toBeGreaterThan(0.01);
      expect(differ).toBeLessThan(0.001);
    });
  }
});

for (const theme of ["light", "dark"] as const) {
  for (const [name, place] of FRAMES) {
    test(`${name} looks as it did, ${theme}`, async ({ page, server }) => {
      await page.emulateMedia({ colorScheme: theme });
      const drawn = await picture(page, server, place);
      expect(Buffer.from(drawn, "base64")).toMatchSnapshot(`${name.replaceAll(" ", "-")}-${theme}.png`, {
        maxDiffPixelRatio: 0.001,
      });
    });
  }
}

test("a machine whose graphics are software draws line by line", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "trace_viewer" });
  await expect(page.locator("[data-renderer]")).toHaveAttribute("data-renderer", "scan-line");
});

test("a graphics card takes over once there is a picture", async ({ page, server }) => {
  // The processor's graphics, by another name.
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (
      this: HTMLCanvasElement,
      kind: string,
      options: object,
    ) {
      return getContext.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
    } as typeof getContext;
    WebGL2RenderingContext.prototype.getParameter = () => "card";
  });
  await open(page, server, { run: GPU, tool: "trace_viewer" });
  await expect(page.locator("[data-renderer]")).toHaveAttribute("data-renderer", "WebGL 2");
  await expect(page.locator("[data-renderer] canvas")).toHaveCount(1);
  await expect(page.locator(".tl-status")).toContainText("102 events in view");
});

test("when the graphics card is lost, drawing goes on without it", async ({ page, server }) => {
  await open(page, server, { run: GPU, tool: "trace_viewer", renderer: "webgl" });
  await expect(page.locator(".tl-status")).toContainText("102 events in view");
  await page
    .locator("[data-renderer='WebGL 2'] canvas")
    .evaluate((canvas: HTMLCanvasElement) =>
      canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext(),
    );
  await expect(page.locator("[data-renderer]")).toHaveAttribute("data-renderer", "scan-line");
  await expect
    .poll(() =>
      page.locator("[data-renderer] canvas").evaluate((canvas: HTMLCanvasElement) => {
        const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return data.some((value) => value > 0);
      }),
    )
    .toBe(true);
});
