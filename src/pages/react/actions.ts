import type { ActionRef } from "#routes";
import { actionMarker } from "../page-data.ts";

/**
 * The `actions` that a page gets: any name leads to its address, with the search of the page, so that a form leads back
 * to what was shown. The browser never sees the server file, so it cannot know the names.
 */
export function actionsOf(path: string, search: string): Readonly<Record<string, ActionRef>> {
  const base = path === "/" ? "" : path;
  return new Proxy<Record<string, ActionRef>>(
    {},
    {
      get: (_none, name): ActionRef | undefined =>
        typeof name === "string"
          ? { name, href: `${base}${actionMarker}${encodeURIComponent(name)}${search}` }
          : undefined,
    },
  );
}
