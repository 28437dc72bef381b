import { expect, test } from "vitest";
import { readPageFiles } from "./read-page-files.ts";
import { segmentsOfId } from "./segments-of-id.ts";

test("the id of a route contains all its segments", () => {
  const table = readPageFiles([
    "index.tsx",
    "about.tsx",
    "orders/[id].tsx",
    "orders/[id]/items/[item-no].server.ts",
    "(shop)/cart/index.tsx",
    "docs/[...rest].tsx",
    "[user]/@me/a.b/~c.tsx",
  ]);
  expect(table.routes).toHaveLength(7);
  for (const { id, segments } of table.routes) expect(segmentsOfId(id), id).toEqual(segments);
});
