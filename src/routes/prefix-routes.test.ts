import { describe, expect, it } from "vitest";
import { createMatcher } from "./match-route.ts";
import { prefixRoutes } from "./prefix-routes.ts";
import { readPageFiles } from "./read-page-files.ts";

describe("an application that lives below a path", () => {
  const files = ["index.tsx", "users/[id].tsx", "users/_layout.tsx", "_layout.tsx"];
  const table = prefixRoutes("/admin", readPageFiles(files));
  const match = createMatcher(table);

  it("has its routes below the path and nowhere else", () => {
    expect(table.routes.map(({ id }) => id)).toEqual(["/admin", "/admin/users/[id]"]);
    expect(match("/admin")).toMatchObject({ kind: "found" });
    expect(match("/admin/users/7")).toMatchObject({ kind: "found", params: { id: "7" } });
    expect(match("/")).toMatchObject({ kind: "not-found" });
    expect(match("/users/7")).toMatchObject({ kind: "not-found" });
  });

  it("keeps its files and its root layout", () => {
    expect(table.folders).toEqual([
      { id: "/", layout: "_layout.tsx" },
      { id: "/admin/users", layout: "users/_layout.tsx" },
    ]);
    expect(table.routes[1]).toMatchObject({ page: "users/[id].tsx", folders: [0, 1] });
  });

  it("is the same application when it has the host to itself", () => {
    expect(prefixRoutes("", readPageFiles(files))).toEqual(readPageFiles(files));
  });
});
