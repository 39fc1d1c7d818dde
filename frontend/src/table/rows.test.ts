import { describe, expect, it } from "vitest";
import { numbers, tableOf, texts } from "../testing/tables";
import { layoutOf } from "./layout";
import { clickSort, type SortKey } from "./order";
import { shownRows } from "./rows";

const NAME = texts("name", ["op_2", "op_10", "conv", "conv", null]);
const TIME = numbers("time", [5e9, null, 1e9, 5e9, 2e6], "ps");
const TABLE = tableOf(NAME, TIME);

function shown(keys: SortKey[] = [], filters: Record<string, string> = {}, search = ""): number[] {
  return [...shownRows(TABLE, layoutOf(TABLE), { keys, search, filters })];
}

describe("sorting", () => {
  it("orders numbers inside texts as numbers, unknown last", () => {
    expect(shown([{ column: "name", descending: false }])).toEqual([2, 3, 0, 1, 4]);
    expect(shown([{ column: "name", descending: true }])).toEqual([1, 0, 2, 3, 4]);
  });

  it("keeps unknown values last in both directions", () => {
    expect(shown([{ column: "time", descending: false }])).toEqual([4, 2, 0, 3, 1]);
    expect(shown([{ column: "time", descending: true }])).toEqual([0, 3, 2, 4, 1]);
  });

  it("breaks ties by the next key", () => {
    const keys = [
      { column: "time", descending: true },
      { column: "name", descending: false },
    ];
    expect(shown(keys)).toEqual([3, 0, 2, 4, 1]);
  });

  it("starts with the greatest number or the first text, turns round, then stops", () => {
    const first = clickSort([], TIME, false);
    const second = clickSort(first, TIME, false);
    expect(first).toEqual([{ column: "time", descending: true }]);
    expect(second).toEqual([{ column: "time", descending: false }]);
    expect(clickSort(second, TIME, false)).toEqual([]);
    expect(clickSort([], NAME, false)).toEqual([{ column: "name", descending: false }]);
  });

  it("adds a key with shift and replaces all without", () => {
    const keys = clickSort(clickSort([], TIME, false), NAME, true);
    expect(keys.map((key) => key.column)).toEqual(["time", "name"]);
    expect(clickSort(keys, NAME, false)).toEqual([{ column: "name", descending: true }]);
  });
});

describe("filters", () => {
  it.each([
    [{ name: "OP_" }, [0, 1]],
    [{ name: "!conv" }, [0, 1, 4]],
    [{ name: "/^op_\\d$/" }, [0]],
    [{ name: "/(/" }, [0, 1, 2, 3, 4]],
    [{ time: "> 1 ms" }, [0, 3]],
    [{ time: "5" }, [0, 3]],
    [{ time: "<= 1ms" }, [2, 4]],
    [{ time: "1..5 ms" }, [0, 2, 3]],
    [{ time: "= 2 µs" }, [4]],
    [{ time: "nonsense" }, [0, 1, 2, 3, 4]],
    [{ name: "conv", time: "> 1 ms" }, [3]],
  ])("%j", (filters, rows) => {
    expect(shown([], filters)).toEqual(rows);
  });

  it("searches all columns of text", () => {
    expect(shown([], {}, "conv")).toEqual([2, 3]);
    expect(shown([], {}, "!conv")).toEqual([0, 1, 4]);
  });
});
