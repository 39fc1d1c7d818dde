import { describe, expect, test } from "vitest";
import { addressProblem, bodyOf, check, DEFAULTS, nameProblem, numberProblem } from "./fields";

describe("checks before sending", () => {
  test.each(["a:1", " a:1 , grpc://b-c.example:65535", "[::1]:3", "10.0.0.1:8466,"])("takes %j", (text) => {
    expect(addressProblem(text)).toBe("");
  });

  test.each(["localhost", "a:0", "a:70000", "http://a:1", "a/b:1", "::1:80", "a:b:1", "a b:1"])(
    "names what is wrong in %j",
    (text) => {
      expect(addressProblem(`ok:1,${text}`)).toBe(`“${text}” is no address: write host:port.`);
    },
  );

  test("wants an address", () => {
    expect(addressProblem(" , ")).toContain("Give the address");
  });

  test.each(["", "0", "-1", "1.5", "1e3", "x", "11"])("%j is no number from 1 to 10", (text) => {
    expect(numberProblem(text, 1, 10)).toBe("Choose a whole number from 1 to 10.");
  });

  test.each(["../up", "a\\b", "a\u0000b", ".hidden", "é".repeat(101)])(
    "%j is no name of a session",
    (name) => {
      expect(nameProblem(name)).not.toBe("");
    },
  );

  test("the defaults are fine, and only what is chosen counts", () => {
    expect(check(DEFAULTS)).toEqual({});
    expect(check({ ...DEFAULTS, by: "tpu", addresses: "x" })).toEqual({ tpu: "Name the TPU." });
    expect(check({ ...DEFAULTS, by: "tpu", tpu: "t", workers: "x" })).toHaveProperty("workers");
    expect(
      Object.keys(check({ ...DEFAULTS, addresses: "", duration_ms: "", delay_ms: "x", retries: "99" })),
    ).toEqual(["addresses", "duration_ms", "delay_ms", "retries"]);
  });
});

test("what is sent holds the chosen target and no empty texts", () => {
  const levels = { host_tracer_level: 2, device_tracer_level: 1, python_tracer_level: 0 };
  const common = { duration_ms: 1000, delay_ms: 0, retries: 2, ...levels };
  expect(bodyOf({ ...DEFAULTS, tpu: "t", addresses: " a:1 " })).toEqual({ addresses: "a:1", ...common });
  const tpu = bodyOf({ ...DEFAULTS, by: "tpu", tpu: "t", tpu_zone: "z", session: "s", tls: "true" });
  expect(tpu).toEqual({ tpu: "t", tpu_zone: "z", session: "s", tls: "true", ...common });
});
