import { expect, it } from "vitest";
import { numbers, texts } from "../testing/tables";
import { toCsv, toJson } from "./export";

const COLUMNS = [texts("name", ["a", 'say "b", c', null]), numbers("time", [1_500_123, null, 3], "ps")];

it("CSV holds exact values in the order shown, quoted where needed, blank for unknown", () => {
  expect(toCsv(COLUMNS, [1, 0, 2])).toBe('name,time [ps]\r\n"say ""b"", c",\r\na,1500123\r\n,3\r\n');
});

it("JSON names the unit of each column", () => {
  expect(JSON.parse(toJson(COLUMNS, [0, 1]))).toEqual({
    units: { name: "", time: "ps" },
    rows: [
      { name: "a", time: 1_500_123 },
      { name: 'say "b", c', time: null },
    ],
  });
});
