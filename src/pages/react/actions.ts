import type { ActionRef } from "#routes";
import { actionMarker } from "../page-data.ts";
import type { PageContextValue } from "./page-context.ts";

/**
 * Creates the `actions` prop of a page or layout: each name gives the address of an action, with the page's search, so
 * that a form returns to the same page. A proxy, because the browser never loads the server file and cannot know the
 * names. `start` is what they begin with.
 */
export function actionRefs(
  { path, search }: Pick<PageContextValue, "path" | "search">,
  start = "",
): Readonly<Record<string, ActionRef>> {
  const base = path.replace(/\/$/, "") + actionMarker;
  return new Proxy<Record<string, ActionRef>>(
    {},
    {
      // No name has `?` or `#`; what else `encodeURI` leaves is canonical in a path.
      get: (_none, name): ActionRef | undefined =>
        typeof name === "string" ? { name: start + name, href: base + encodeURI(start + name) + search } : undefined,
    },
  );
}
