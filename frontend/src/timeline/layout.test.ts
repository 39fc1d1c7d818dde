import { describe, expect, it } from "vitest";
import { LANE, laneAt, layoutOf, rowsBetween, type Choices, type Row } from "./layout";
import type { Model, Section, Track } from "./model";

const track = (id: number, lanes = 2, idle = false): Track => ({
  id,
  name: `t${id}`,
  thread: String(id),
  events: 1,
  lanes,
  busyShare: 0.5,
  kind: "events",
  idle,
});

const model: Model = {
  names: 0,
  later: false,
  opening: null,
  end: 100,
  events: 4,
  sections: [
    { id: 1, name: "/device:TPU:0", kind: "device", events: 2, tracks: [track(3), track(4, 1)] },
    {
      id: 0,
      name: "/host:CPU",
      kind: "host",
      events: 2,
      tracks: [track(5, 4), track(6, 1, true), track(7, 1, true)],
    },
  ],
};

const none: Choices = {
  closed: new Set(),
  opened: new Set(),
  compact: new Set(),
  hidden: new Set(),
  pinned: [],
  order: [],
};

const names = (rows: Row[]): string[] =>
  rows.map((row) =>
    row.kind === "track"
      ? row.track.name
      : row.kind === "idle"
        ? `${row.tracks.length} idle`
        : row.kind === "room"
          ? "room"
          : row.section.name,
  );

describe("the layout", () => {
  it("keeps room for the steps of each host where they will stand", () => {
    const rows = (tracks: Track[]): Row[] => {
      const steps: Section = { id: -1, name: "Steps", kind: "steps", events: 2, tracks };
      const sections = model.sections.flatMap((section) => [{ ...steps, id: section.id + 7 }, section]);
      return layoutOf({ ...model, sections }, none).rows;
    };
    const [found, sought] = [rows([track(8, 1)]), rows([])];
    expect(names(sought)).toEqual(names(found).map((name) => (name === "t8" ? "room" : name)));
    expect(sought.map(({ y }) => y)).toEqual(found.map(({ y }) => y));
  });

  it("puts tracks below their sections and folds idle ones into one line", () => {
    const { rows, height } = layoutOf(model, none);
    expect(names(rows)).toEqual(["/device:TPU:0", "t3", "t4", "/host:CPU", "t5", "2 idle"]);
    rows.forEach((row, i) =>
      expect(row.y).toBe(rows.slice(0, i).reduce((sum, { height }) => sum + height, 0)),
    );
    expect(height).toBe(rows.reduce((sum, row) => sum + row.height, 0));
  });

  it("follows what was closed, opened, hidden and pinned", () => {
    const { rows } = layoutOf(model, {
      ...none,
      closed: new Set([1]),
      opened: new Set([0]),
      hidden: new Set([7]),
      pinned: [4],
    });
    expect(names(rows)).toEqual(["t4", "/device:TPU:0", "/host:CPU", "t5", "1 idle", "t6"]);
  });

  it("shows steps without a heading", () => {
    const steps = { id: -1, name: "Steps", kind: "steps", events: 3, tracks: [track(9, 1)] };
    expect(names(layoutOf({ ...model, sections: [steps] }, none).rows)).toEqual(["t9"]);
  });

  it("finds the lane at a height", () => {
    const layout = layoutOf(model, none);
    const row = layout.rows[1] as Row;
    expect(laneAt(layout, row.y + LANE + 1)).toEqual({ row, lane: 1 });
    expect(laneAt(layout, row.y + 2 * LANE + 1)).toBeNull();
    expect(laneAt(layout, 0)).toBeNull();
    expect(laneAt(layout, 1e6)).toBeNull();
  });

  it("puts all in whole device pixels, so that names stand on their bars in the deepest lane", () => {
    const sections = [{ id: 1, name: "", kind: "host", events: 2, tracks: [track(3, 99)] }];
    for (const ratio of [1, 1.25, 1.5, 1.1, 3]) {
      const { rows } = layoutOf({ ...model, sections }, none, 1.1, ratio);
      for (const row of rows) {
        const heights = [row.y, row.height, ...(row.kind === "track" ? [row.laneHeight] : [])];
        for (const height of heights) expect(height * ratio).toBeCloseTo(Math.round(height * ratio), 6);
      }
    }
  });

  it("finds the rows on screen", () => {
    const layout = layoutOf(model, none);
    const host = layout.rows[3] as Row;
    expect(names(rowsBetween(layout, host.y, host.y + host.height + 1))).toEqual(["/host:CPU", "t5"]);
  });
});
