import { actionMarker } from "../page-data.ts";

/** Names an action of a page. Where it is posted to depends on path and name alone, so that it survives deploys. */
export interface ActionRef {
  readonly name: string;
  readonly href: string;
}

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
