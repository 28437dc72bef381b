import type { AfterTarget, LinkText, LinkTo, TargetArgument } from "#routes";
import { type HrefOptions, targetAddress } from "#routes/href";
import { type NavigateOptions, runtime } from "./browser-runtime.ts";

/**
 * Navigates to a page, as a click on a link would. Only for event handlers and effects; server code uses `redirect`.
 *
 * @example navigate("/orders/[id]", { id: order.id }, { replace: true })
 */
export function navigate<const To extends LinkText>(
  to: LinkTo<To>,
  ...[params, options]: AfterTarget<To, TargetArgument<To, NavigateOptions>>
): void {
  runtime("navigate").navigate(targetAddress(to, params, options?.search, options), options);
}

/** Loads the current page's data again, and shows it if it differs. */
export function revalidate(): void {
  runtime("revalidate").revalidate();
}

/** Prefetches a page that the application expects the visitor to open. The limits of prefetching apply. */
export function prefetch<const To extends LinkText>(
  to: LinkTo<To>,
  ...[params, options]: AfterTarget<To, TargetArgument<To, HrefOptions>>
): void {
  runtime("prefetch").prefetch(targetAddress(to, params, options?.search, options));
}
