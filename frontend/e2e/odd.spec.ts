import { expect, open, test } from "./test";

/** Sessions of `logdir.py` below `odd`, see `tests/odd.py`. */
const ODD = [
  "no_planes",
  "one_event",
  "events_of_zero_duration",
  "names_of_100_kB",
  "bytes_that_are_no_text",
  "times_beyond_2_53",
  "stats_that_are_not_numbers",
];

interface Described {
  name: string;
  title: string;
}

for (const run of ODD) {
  test(`every tool shows something or says why not: ${run}`, async ({ page, odd, request }) => {
    test.slow();
    const answer = await request.get(`${odd.address}/tools?run=${run}`);
    const tools = (await answer.json()) as Described[];
    expect(tools.length).toBeGreaterThan(10);
    for (const { name, title } of tools) {
      await open(page, odd, { run, tool: name });
      await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
      await expect(page.locator("main .card, main canvas").first(), name).toBeVisible();
      await expect(page.locator("main [role=alert]"), name).toHaveCount(0);
      expect(await page.locator("main").innerText(), name).not.toMatch(/\b(NaN|undefined|Infinity)\b/);
    }
  });
}
