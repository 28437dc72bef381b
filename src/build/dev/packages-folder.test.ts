import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { preparedPackagesFolder } from "./packages-folder.ts";

test("prepared packages are separate for each application below one package.json, and Vite's own folder elsewhere", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-"));
  for (const name of ["apps/shop", "apps/blog", "alone"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["apps", "alone"]) writeFileSync(join(folder, name, "package.json"), "{}");
  expect(preparedPackagesFolder(join(folder, "apps/shop"))).toBe(join(folder, "apps/node_modules/.vite/shop"));
  expect(preparedPackagesFolder(join(folder, "apps/blog"))).toBe(join(folder, "apps/node_modules/.vite/blog"));
  expect(preparedPackagesFolder(join(folder, "alone"))).toBeUndefined();
});
