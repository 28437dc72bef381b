import type { PathSegment, RouteTable } from "./route-table.ts";

/**
 * Moves the routes below a path: `/users` becomes `/admin/users`. The root folder keeps its id, because its layout and
 * error page apply to every path.
 */
export function prefixRoutes(path: string, table: RouteTable): RouteTable {
  if (path === "") return table;
  const before = path
    .slice(1)
    .split("/")
    .map((text): PathSegment => ({ kind: "static", text }));
  return {
    routes: table.routes.map((route) => ({
      ...route,
      id: route.id === "/" ? path : path + route.id,
      segments: [...before, ...route.segments],
    })),
    folders: table.folders.map((folder) => ({ ...folder, id: folder.id === "/" ? "/" : path + folder.id })),
  };
}
