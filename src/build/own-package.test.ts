import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as own from "./own-package.ts";
import { ownSourceName } from "./own-package.ts";

test("source maps name the framework's files as if they were installed, and no others", () => {
  const file = fileURLToPath(new URL("../pages/server/visit.ts", import.meta.url));
  expect(ownSourceName(file)).toBe("node_modules/holdfast/src/pages/server/visit.ts");
  expect(ownSourceName("/app/src/pages/server/visit.ts")).toBeUndefined();
});

test("every module that an application is built with exists", () => {
  const modules = Object.entries(own).filter(([, value]) => typeof value === "string" && value.startsWith("/"));
  expect(modules.length).toBeGreaterThan(5);
  for (const [name, file] of modules) expect(existsSync(String(file)), name).toBe(true);
  for (const [name, file] of own.entryPoints) expect(existsSync(file), name).toBe(true);
});
