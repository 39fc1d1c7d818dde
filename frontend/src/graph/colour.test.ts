import { describe, expect, it } from "vitest";
import { kindOf } from "./colour";

describe("the kinds of instructions", () => {
  it.each([
    ["convolution", "Matrix"],
    ["convolution fusion", "Matrix"],
    ["loop fusion", "Fusion"],
    ["all-reduce", "Exchange"],
    ["copy-start", "Asynchronous"],
    ["data formatting", "Data movement"],
    ["reduce-window", "Reduction and indexing"],
    ["reduce-scatter", "Exchange"],
    ["custom-call", "Call"],
    ["parameter", "Input and structure"],
    ["non-fusion elementwise", "Elementwise"],
    ["something new", "Other"],
  ])("%s is %s", (category, label) => {
    expect(kindOf(category).label).toBe(label);
  });
});
