import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { environment } from "./environment.ts";

describe("the environment an application asks for", () => {
  test("is read and typed", () => {
    const env = environment(
      {
        DATABASE_URL: "url",
        SIZE: "integer",
        RATIO: "number",
        DEBUG: "boolean?",
        MAIL_PORT: "port?",
        STAGE: ["test", "live"],
        KEY: z.string().min(3),
      },
      {
        DATABASE_URL: "postgres://db/shop",
        SIZE: "20",
        RATIO: "0.5",
        DEBUG: "on",
        STAGE: "live",
        KEY: "abc",
        MAIL_PORT: "",
      },
    );
    expect(env).toEqual({
      DATABASE_URL: "postgres://db/shop",
      SIZE: 20,
      RATIO: 0.5,
      DEBUG: true,
      MAIL_PORT: undefined,
      STAGE: "live",
      KEY: "abc",
    });
    expectTypeOf(env.SIZE).toEqualTypeOf<number>();
    expectTypeOf(env.DEBUG).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(env.STAGE).toEqualTypeOf<"test" | "live">();
    expectTypeOf(env.KEY).toEqualTypeOf<string>();
  });

  test("names every missing or malformed variable and what it must be, and no value", () => {
    const read = () =>
      environment(
        { DATABASE_URL: "url", SIZE: "integer", STAGE: ["test", "live"], KEY: z.string().min(3, "too short") },
        { SIZE: "20 or so", STAGE: "secret-stage", KEY: "x" },
      );
    expect(read).toThrow(
      "DATABASE_URL is missing: it must be an address such as https://shop.example or postgres://host/name",
    );
    expect(read).toThrow("SIZE is set, but not right: it must be a whole number such as 20");
    expect(read).toThrow("STAGE is set, but not right: it must be one of test, live");
    expect(read).toThrow("KEY is set, but not right: it must be what its schema says (too short)");
    expect(read).toThrow("[wrong-environment]");
    expect(read).not.toThrow("secret-stage");
  });

  test.each([
    ["70000", "port"],
    ["-1", "integer"],
    ["1e999", "number"],
    ["maybe", "boolean"],
    ["shop.example", "url"],
  ] as const)("%s is no %s", (text, type) => {
    expect(() => environment({ X: type }, { X: text })).toThrow("X is set, but not right");
  });
});
