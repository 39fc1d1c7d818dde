/** Where things are on a timeline, and what its canvases show. Times are picoseconds, places pixels of the page. */
import type { Locator, Page } from "@playwright/test";

export const MS = 1e9;
/** The capture `gpu_train` ends with its last step. */
export const END = 5.99 * MS;

export interface View {
  start: number;
  end: number;
}

/** What the address says is in view; at first the whole profile with a hundredth free at both sides. */
export async function view(page: Page): Promise<View> {
  const hash = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const read = (name: string): number | null => (hash.has(name) ? Number(hash.get(name)) : null);
  return { start: read("start_ps") ?? -0.01 * END, end: read("end_ps") ?? 1.01 * END };
}

export const field = (page: Page): Locator => page.getByRole("application");
export const heading = (page: Page, track: string): Locator =>
  page.locator(".tl-track").filter({ hasText: track });
export const pane = (page: Page): Locator => page.locator(".tl-pane");
export const status = (page: Page): Locator => page.locator(".tl-status");

/** Where an event is drawn, in pixels of the page. */
export async function point(
  page: Page,
  track: string,
  time: number,
  lane = 0,
): Promise<{ x: number; y: number }> {
  const { start, end } = await view(page);
  const box = await field(page).boundingBox();
  const row = await heading(page, track).boundingBox();
  if (!box || !row) throw new Error(`Track ${track} is not on screen.`);
  return { x: box.x + ((time - start) / (end - start)) * box.width, y: row.y + 18 * lane + 9 };
}

export async function click(page: Page, track: string, time: number, lane = 0): Promise<void> {
  const { x, y } = await point(page, track, time, lane);
  await page.mouse.click(x, y);
}

export async function drag(
  page: Page,
  from: { x: number; y: number },
  to: { x: number; y: number },
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await page.mouse.up();
}

/** Opacity of the drawing at a time of a lane. */
export async function opacity(page: Page, track: string, time: number, lane = 0): Promise<number> {
  const { x, y } = await point(page, track, time, lane);
  return page
    .locator(".tl-field canvas")
    .first()
    .evaluate(
      (canvas: HTMLCanvasElement, at) => {
        const box = canvas.getBoundingClientRect();
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        const ratio = canvas.width / box.width;
        return context.getImageData((at.x - box.x) * ratio, (at.y - box.y) * ratio, 1, 1).data[3] as number;
      },
      { x, y },
    );
}
