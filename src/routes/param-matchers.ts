import { routeErrors } from "./errors.ts";
import type { AcceptValue } from "./find-route.ts";
import type { RouteTable } from "./route-table.ts";
import { segmentsOfId } from "./segments-of-id.ts";

/** What `src/matchers.ts` exports. Each export is checked when it is used, because it comes from the application. */
export type ParamMatchers = Readonly<Record<string, unknown>>;

/** Asks the matchers of an application. Throws what a matcher throws, and if one is no matcher. */
export function acceptBy(matchers: ParamMatchers = {}): AcceptValue {
  return (name, value) => {
    const matcher = matchers[name];
    const accepted: unknown = typeof matcher === "function" ? matcher(value) : undefined;
    if (typeof accepted === "boolean") return accepted;
    throw routeErrors.notAMatcher(name, typeof matcher === "function" ? accepted : matcher);
  };
}

/** The matchers that the routes and folders of an application name, each with a file that needs it. */
export function matchersIn({ routes, folders }: RouteTable): Map<string, string> {
  const files = [
    ...routes.map(({ id, page, server }) => [id, page ?? server] as const),
    ...folders.map(({ id, layout, server, error, notFound, loading }) => [
      id,
      layout ?? server ?? error ?? notFound ?? loading,
    ]),
  ] as const;
  const named = new Map<string, string>();
  for (const [id = "", file = ""] of files)
    for (const segment of segmentsOfId(id))
      if ("matcher" in segment && segment.matcher !== undefined && !named.has(segment.matcher))
        named.set(segment.matcher, file);
  return named;
}
