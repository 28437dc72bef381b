import { expect, test } from "vitest";
import { wrongSettings } from "#service";
import { environmentReaders } from "./environment-readers.ts";
import type { HoldfastConfig } from "./settings.ts";

const env = {
  HOLDFAST_SECRET: "short",
  HOLDFAST_INVALIDATE_TOKEN: "short",
  HOLDFAST_STORE: "mysql://host",
  HOLDFAST_API_PER_MINUTE: "abc",
  HOLDFAST_SECOND_FACTOR: "must",
};

function wrongFor(config: HoldfastConfig, development = false): string[] {
  const errors = wrongSettings(environmentReaders({ config, development }, "localhost"), env);
  return errors.map(({ message }) => /HOLDFAST_\w+/.exec(message)?.[0] ?? message);
}

test("An application with its own service reads everything", () => {
  expect(wrongFor({}).toSorted()).toEqual(Object.keys(env).toSorted());
});

test("What the configuration replaces, and what is for a service elsewhere, is not read", () => {
  const authorize = () => undefined;
  expect(wrongFor({ store: "postgres://host/database" })).not.toContain("HOLDFAST_STORE");
  expect(wrongFor({ console: { authorize } })).not.toContain("HOLDFAST_SECOND_FACTOR");
  expect(wrongFor({}, true)).not.toContain("HOLDFAST_SECOND_FACTOR");
  expect(wrongFor({ report: { dsn: "https://key@errors.example/1" } })).toEqual([
    "HOLDFAST_SECRET",
    "HOLDFAST_INVALIDATE_TOKEN",
    "HOLDFAST_STORE",
  ]);
});
