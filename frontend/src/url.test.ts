import { describe, expect, it } from "vitest";
import { formatHash, parseHash } from "./url";

describe("standalone", () => {
  it("reads and writes plain keys", () => {
    const hash = formatHash({ run: "train/2024_01_01", tag: "overview_page", search: "a&b=c %" }, null);
    expect(hash).toBe("#run=train/2024_01_01&tag=overview_page&search=a%26b%3Dc%20%25");
    expect(parseHash(hash, null)).toEqual({
      run: "train/2024_01_01",
      tag: "overview_page",
      search: "a&b=c %",
    });
  });

  it("reads an empty or damaged address without failing", () => {
    expect(parseHash("", null)).toEqual({});
    expect(parseHash("#run=%E0%A4%A&x", null)).toEqual({ run: "%E0%A4%A" });
  });
});

describe("in TensorBoard", () => {
  it("prefixes its keys with the plugin's name, whatever that is", () => {
    expect(formatHash({ run: "a", tag: "b" }, "profiler_plugin", "#profiler_plugin")).toBe(
      "#profiler_plugin&p.profiler_plugin.run=a&p.profiler_plugin.tag=b",
    );
  });

  it("leaves the keys of others alone", () => {
    const old = "#profile&smoothing=0.9&p.other.x=1&p.profile.run=old";
    expect(parseHash(old, "profile")).toEqual({ run: "old" });
    expect(formatHash({ run: "new" }, "profile", old)).toBe(
      "#profile&smoothing=0.9&p.other.x=1&p.profile.run=new",
    );
  });
});
