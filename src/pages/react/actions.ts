import type { ActionRef } from "#routes";
import { actionMarker } from "../page-data.ts";

/** The `actions` that a page gets: any name leads to its address. The browser never sees the server file, so it cannot know the names. */
export function actionsOf(path: string): Readonly<Record<string, ActionRef>> {
  const base = path === "/" ? "" : path;
  return new Proxy<Record<string, ActionRef>>(
    {},
    {
      get: (_none, name): ActionRef | undefined =>
        typeof name === "string" ? { name, href: `${base}${actionMarker}${encodeURIComponent(name)}` } : undefined,
    },
  );
}
