import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ownSourceName } from "./own-package.ts";

test("source maps name the framework's files as if they were installed, and no others", () => {
  const file = fileURLToPath(new URL("../pages/server/visit.ts", import.meta.url));
  expect(ownSourceName(file)).toBe("node_modules/holdfast/src/pages/server/visit.ts");
  expect(ownSourceName("/app/src/pages/server/visit.ts")).toBeUndefined();
});
