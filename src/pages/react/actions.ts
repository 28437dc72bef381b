import type { ActionRef } from "#routes";
import { actionMarker } from "../page-data.ts";

/**
 * Creates the `actions` prop of a page: each name gives the address of an action, with the page's search, so that a
 * form returns to the same page. A proxy, because the browser never loads the server file and cannot know the names.
 */
export function actionsOf(path: string, search: string): Readonly<Record<string, ActionRef>> {
  const base = path.replace(/\/$/, "");
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
