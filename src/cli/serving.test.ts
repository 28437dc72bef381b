import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentReaders, hostLimits } from "#host";
import { wrongSettings } from "#service";
import { readDrain, startReaders } from "./serving.ts";

describe("the time between SIGTERM and the closing of the port", () => {
  test("is three seconds, or the number of seconds that is set", () => {
    expect(readDrain(undefined)).toBe(hostLimits.drainMs);
    expect([readDrain("0"), readDrain("0.5"), readDrain("300")]).toEqual([0, 500, 300_000]);
  });

  test.each(["", "soon", "-1", "301"])("cannot be %j", (text) => {
    expect(() => readDrain(text)).toThrow(/not a number from 0 to 300/);
  });
});

describe("a start", () => {
  test("checks every variable of the guide that can be wrong", () => {
    const guide = readFileSync(new URL("../../docs/guides/configuration.md", import.meta.url), "utf8");
    const named = new Set([...guide.matchAll(/`(HOLDFAST_[A-Z_]*[A-Z])`/g)].map(([, name = ""]) => name));
    // Any folder, any token; of other commands.
    for (const free of ["DATA", "UPLOAD_TOKEN", "TOKEN", "SANDBOX", "COMPRESSION"]) named.delete(`HOLDFAST_${free}`);
    expect(named.size).toBeGreaterThan(25);
    const readers = [...startReaders({}), ...environmentReaders({ config: {}, development: false }, undefined)];
    const unchecked = [...named].filter((name) => wrongSettings(readers, { [name]: "-1" }).length === 0);
    expect(unchecked).toEqual([]);
  });

  test("takes an option in place of its variable", () => {
    const env = { PORT: "x", HOLDFAST_WORKERS: "x" };
    const codes = (options: Parameters<typeof startReaders>[0]) =>
      wrongSettings(startReaders(options), env).map(({ code }) => code);
    expect(codes({})).toEqual(["wrong-port", "wrong-workers"]);
    expect(codes({ port: "3000", workers: "2" })).toEqual([]);
    expect(codes({ port: "70000", workers: "0" })).toEqual(["wrong-port", "wrong-workers"]);
  });
});
