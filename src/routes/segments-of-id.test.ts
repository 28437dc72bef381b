import { expect, test } from "vitest";
import { prefixRoutes } from "./prefix-routes.ts";
import { readPageFiles } from "./read-page-files.ts";
import { segmentsOfId } from "./segments-of-id.ts";

test("the id of a route contains all its segments, also below a path", () => {
  const table = readPageFiles([
    "index.tsx",
    "about.tsx",
    "orders/[id].tsx",
    "orders/[id]/items/[item-no].server.ts",
    "(shop)/cart/index.tsx",
    "docs/[...rest].tsx",
    "[user]/@me/a.b/~c.tsx",
  ]);
  const routes = [...table.routes, ...prefixRoutes("/admin/deep", table).routes];
  expect(routes).toHaveLength(14);
  for (const { id, segments } of routes) expect(segmentsOfId(id), id).toEqual(segments);
});
