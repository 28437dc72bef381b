import type { AfterTarget, LinkText, LinkTo, TargetArgument } from "#routes";
import { type HrefOptions, targetAddress } from "#routes/href";
import { changedHeader } from "../page-data.ts";
import { type NavigateOptions, runtime } from "./browser-runtime.ts";

/**
 * Navigates to a page, as a click on a link would. Only for event handlers and effects; server code uses `redirect`.
 *
 * @example navigate("/orders/[id]", { id: order.id }, { replace: true })
 */
export function navigate<To extends LinkText>(
  to: LinkTo<To>,
  ...[params, options]: AfterTarget<To, TargetArgument<To, NavigateOptions>>
): void {
  runtime("navigate").navigate(targetAddress(to, params, options?.search, options), options);
}

/**
 * Loads the current page's data again, and shows it if it differs. With tags and paths of pages: something has changed
 * that they name, so everything that depends on it is loaded again, in other tabs too. With the response of an API
 * route: what the route has changed, as it told `invalidate`; everything if it did not, or if it failed.
 *
 * @example revalidate(await fetch("/api/cart", { method: "POST", body }))
 */
export function revalidate(): void;
export function revalidate(response: Response): void;
export function revalidate(...names: readonly [string, ...string[]]): void;
export function revalidate(...of: readonly unknown[]): void {
  const [first] = of;
  // An event handler gets an event.
  const isNamed = typeof first === "string";
  runtime("revalidate").revalidate(first instanceof Response ? namesIn(first) : isNamed ? of.map(String) : undefined);
}

/** Null for anything. */
function namesIn({ headers }: Response): readonly string[] | null {
  try {
    return headers.get(changedHeader)?.split(",").map(decodeURIComponent) ?? null;
  } catch {
    return null;
  }
}

/** Prefetches a page that the application expects the visitor to open. The limits of prefetching apply. */
export function prefetch<To extends LinkText>(
  to: LinkTo<To>,
  ...[params, options]: AfterTarget<To, TargetArgument<To, HrefOptions>>
): void {
  runtime("prefetch").prefetch(targetAddress(to, params, options?.search, options));
}
