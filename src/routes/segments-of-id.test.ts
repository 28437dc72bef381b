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
    "blog/[[page]].tsx",
    "[[lang]]/terms.tsx",
    "parts/[part-no=integer].tsx",
    "[[lang=language]]/parts/[id].tsx",
  ]);
  expect(table.routes).toHaveLength(11);
  for (const { id, segments } of table.routes) expect(segmentsOfId(id), id).toEqual(segments);
});
