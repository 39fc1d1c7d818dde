import { describe, expect, it } from "vitest";
import type { Chart } from "../result";
import { numbers, tableOf, texts } from "../testing/tables";
import { heightOf, hoverLines, optionOf } from "./options";
import type { ChartTheme } from "./palette";
import { plotOf, type Plot } from "./plot";

const THEME: ChartTheme = {
  text: "black",
  muted: "grey",
  line: "silver",
  surface: "white",
  font: "sans-serif",
  colour: (colour) => `colour ${colour}`,
};
const NONE: ReadonlySet<string> = new Set();
const STEPS = tableOf(
  texts("step", ["7", "8"]),
  numbers("device_compute", [40e9, 42e9], "ps"),
  numbers("input", [20e9, null], "ps"),
);

function chart(changes: Partial<Chart>): Chart {
  return {
    name: "c",
    kind: "bar",
    table: "t",
    x: "step",
    y: ["device_compute", "input"],
    label: "Step time",
    description: "",
    stack: true,
    log: false,
    ...changes,
  };
}

function plot(changes: Partial<Chart> = {}, table = STEPS): Plot {
  const made = plotOf(chart(changes), table);
  if (!made) throw new Error("no plot");
  return made;
}

function seriesOf(option: Record<string, unknown>): Record<string, unknown>[] {
  return option["series"] as Record<string, unknown>[];
}

it("there is nothing to draw of what no row knows, nor of zeros between logarithmic axes", () => {
  const rates = (...values: (number | null)[]): ReturnType<typeof tableOf> =>
    tableOf(
      texts("step", ["7"]),
      numbers("rate", values, "flops_per_s"),
      numbers("intensity", [1], "flops_per_byte"),
    );
  const scatter = chart({ kind: "scatter", x: "intensity", y: ["rate"], stack: false, log: true });
  expect(plotOf(chart({ y: ["rate"] }), rates(null))).toBeNull();
  expect(plotOf(scatter, rates(0))).toBeNull();
  expect(plotOf(scatter, rates(1e12))).not.toBeNull();
});

describe("stacked bars over steps", () => {
  it("leave out what no step knows", () => {
    const table = tableOf(
      ...STEPS.columns.filter(({ name }) => name !== "input"),
      numbers("input", [null, null], "ps"),
    );
    expect(plot({}, table).series.map(({ name }) => name)).toEqual(["device_compute"]);
  });

  it("are drawn in one unit, in the fixed colours of their classes, from the first upwards", () => {
    const option = optionOf(plot(), THEME, { hidden: NONE });
    expect(option).toMatchObject({
      animation: false,
      color: ["colour 3", "colour 7"],
      xAxis: { type: "category", data: ["7", "8"], name: "step" },
      yAxis: [{ type: "value", name: "Time (ms)" }],
      series: [
        { type: "bar", stack: "all", name: "device_compute", data: [40, 42] },
        { type: "bar", stack: "all", name: "input", data: [20, null] },
      ],
    });
  });

  it("leave out what the legend switched off", () => {
    const option = optionOf(plot(), THEME, { hidden: new Set(["input"]) });
    expect(seriesOf(option).map((series) => series["name"])).toEqual(["device_compute"]);
    expect(option["color"]).toEqual(["colour 3"]);
  });

  it("have a hover card with every series, the topmost first, and their sum", () => {
    expect(hoverLines(plot(), NONE, 0)).toEqual({
      title: "step 7",
      lines: [
        { label: "Together", colour: null, text: "60 ms" },
        { label: "input", colour: 7, text: "20 ms" },
        { label: "device_compute", colour: 3, text: "40 ms" },
      ],
    });
    expect(hoverLines(plot(), NONE, 1).lines[1]).toEqual({ label: "input", colour: 7, text: "–" });
  });

  it("get a zoom bar when there are many", () => {
    const many = tableOf(
      texts(
        "step",
        Array.from({ length: 100 }, (_, i) => String(i)),
      ),
      numbers("input", Array(100).fill(1), "ps"),
    );
    const zooms = optionOf(plot({ y: ["input"] }, many), THEME, { hidden: NONE })["dataZoom"] as {
      type: string;
    }[];
    expect(zooms.map((zoom) => zoom.type)).toEqual(["inside", "slider"]);
  });
});

describe("a pie", () => {
  const pie = plot(
    { kind: "pie", x: "name", y: ["time"], stack: false },
    tableOf(texts("name", ["conv", "3 others"]), numbers("time", [3e9, 1e9], "ps")),
  );

  it("has a slice per row, what is left over in grey", () => {
    const [series] = seriesOf(optionOf(pie, THEME, { hidden: NONE }));
    expect(series).toMatchObject({
      type: "pie",
      data: [
        { name: "conv", value: 3e9 },
        { name: "3 others", value: 1e9 },
      ],
    });
    expect(optionOf(pie, THEME, { hidden: NONE })["color"]).toEqual(["colour 1", "colour rest"]);
  });

  it("says value and share of a slice", () => {
    expect(hoverLines(pie, NONE, 0)).toEqual({
      title: "conv",
      lines: [
        { label: "time", colour: 1, text: "3 ms" },
        { label: "Share of what is shown", colour: null, text: "75 %" },
      ],
    });
  });
});

it("all of a few categories are named, in lines beside each other", () => {
  const stages = ["Demanded file read", "Advanced file read", "Preprocessing", "Enqueue", "Other"];
  const table = tableOf(texts("stage", stages), numbers("time", [1, 2, 3, 4, 5], "ps"));
  const { xAxis } = optionOf(plot({ x: "stage", y: ["time"] }, table), THEME, { hidden: NONE }) as {
    xAxis: { nameGap: number; axisLabel: { interval: number; formatter: (text: string) => string } };
  };
  expect([xAxis.axisLabel.interval, xAxis.nameGap]).toEqual([0, 40]);
  expect(stages.map(xAxis.axisLabel.formatter).slice(0, 2)).toEqual([
    "Demanded\nfile read",
    "Advanced\nfile read",
  ]);
});

describe("a scatter", () => {
  const points = tableOf(
    numbers("intensity", [1, 100], "flops_per_byte"),
    numbers("rate", [1e9, 2e12], "flops_per_s"),
  );
  const scatter = plot({ kind: "scatter", x: "intensity", y: ["rate"], stack: false, log: true }, points);

  it("has two logarithmic axes with their units", () => {
    expect(optionOf(scatter, THEME, { hidden: NONE })).toMatchObject({
      xAxis: { type: "log", name: "intensity (FLOP/B)" },
      yAxis: [{ type: "log", name: "rate (TFLOP/s)" }],
      series: [
        {
          type: "scatter",
          data: [
            [1, 0.001],
            [100, 2],
          ],
        },
      ],
    });
  });
});

describe("a scatter with lines", () => {
  const points = tableOf(
    texts("op", ["dot", "copy"]),
    numbers("intensity", [1, 0], "flops_per_byte"),
    numbers("rate", [2e12, 0], "flops_per_s"),
  );
  const roofs = tableOf(
    numbers("intensity", [0.1, 10], "flops_per_byte"),
    numbers("hbm", [1e11, 4e12], "flops_per_s"),
  );
  const made = plotOf(
    chart({ kind: "scatter", x: "intensity", y: ["rate"], stack: false, log: true, names: "op" }),
    points,
    roofs,
  );

  it("draws them behind its marks, in the same units, and leaves out what has no place on the axes", () => {
    if (!made) throw new Error("no plot");
    expect(seriesOf(optionOf(made, THEME, { hidden: NONE }))).toMatchObject([
      {
        type: "line",
        name: "hbm",
        silent: true,
        data: [
          [0.1, 0.1],
          [10, 4],
        ],
      },
      {
        type: "scatter",
        data: [
          [1, 2],
          [null, null],
        ],
      },
    ]);
  });

  it("calls its marks by their names", () => {
    if (!made) throw new Error("no plot");
    expect(hoverLines(made, NONE, 0)).toMatchObject({
      title: "dot",
      lines: [
        { label: "intensity", text: "1 FLOP/B" },
        { label: "rate", text: "2 TFLOP/s" },
      ],
    });
  });
});

it("a picture to take away carries title and legend", () => {
  const option = optionOf(plot(), THEME, { hidden: NONE, standalone: true });
  expect(option).toMatchObject({
    backgroundColor: "white",
    title: { text: "Step time" },
    legend: { data: ["device_compute", "input"] },
  });
});

it("there is no plot of columns that are not there, or of no rows", () => {
  expect(plotOf(chart({ x: "nothing" }), STEPS)).toBeNull();
  expect(plotOf(chart({}), undefined)).toBeNull();
  expect(plotOf(chart({ y: ["step"], x: "step" }), tableOf(texts("step", [])))).toBeNull();
  expect(heightOf(plot())).toBeGreaterThan(100);
});

describe("a timeline with an axis on the right", () => {
  const table = tableOf(
    numbers("time", [1e9, 4e9], "ps"),
    numbers("heap", [1024, 3072], "bytes"),
    numbers("free", [3072, 1024], "bytes"),
    numbers("fragmentation", [0.5, null], "share"),
    texts("op", ["MatMul", null]),
  );
  const description = chart({ kind: "area", x: "time", y: ["heap", "free"] });
  const timeline = plotOf(description, table, undefined, {
    right: "fragmentation",
    facts: ["op"],
    steps: true,
  });
  if (!timeline) throw new Error("no plot");

  it("places rows by their time, and keeps what has a unit of its own out of the stack", () => {
    expect(optionOf(timeline, THEME, { hidden: NONE })).toMatchObject({
      xAxis: { type: "value", name: "time (ms)" },
      yAxis: [{ name: "Memory (KiB)" }, { name: "fragmentation (%)" }],
      series: [
        {
          stack: "all",
          step: "end",
          data: [
            [1, 1],
            [4, 3],
          ],
        },
        {
          stack: "all",
          step: "end",
          data: [
            [1, 3],
            [4, 1],
          ],
        },
        {
          yAxisIndex: 1,
          step: "end",
          data: [
            [1, 50],
            [4, null],
          ],
        },
      ],
    });
  });

  it("tells the facts of a row besides, and adds up the stack alone", () => {
    const { lines } = hoverLines(timeline, NONE, 0);
    expect(lines.map(({ label, text }) => [label, text])).toEqual([
      ["Together", "4 KiB"],
      ["fragmentation", "50 %"],
      ["free", "3 KiB"],
      ["heap", "1 KiB"],
      ["op", "MatMul"],
    ]);
    expect(hoverLines(timeline, NONE, 1).lines.at(-1)?.text).toBe("–");
  });
});
