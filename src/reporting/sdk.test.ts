import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { browserSdk, serverSdk } from "./sdk.ts";

test("reports name the version of the package they come from", () => {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect([serverSdk.version, browserSdk.version]).toEqual([version, version]);
});
