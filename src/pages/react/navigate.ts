import type { AfterTarget, LinkText, LinkTo } from "#routes";
import { href, type ParamInput } from "#routes/href";
import { type NavigateOptions, runtime } from "./browser-runtime.ts";

/**
 * Takes the visitor to a page, as a click on a link would. Only in event handlers and effects; a server half uses
 * `redirect`.
 *
 * @example navigate("/orders/[id]", { id: order.id }, { replace: true })
 */
export function navigate<const To extends LinkText>(
  to: LinkTo<To>,
  ...[params, options]: AfterTarget<To, [options?: NavigateOptions]>
): void {
  runtime("navigate").navigate(addressOf(to, params), options);
}

/** Loads the data of the shown page again, and shows it if it differs. */
export function revalidate(): void {
  runtime("revalidate").revalidate();
}

/** Fetches a page ahead, because the application knows that the visitor will want it. Bounded like every prefetch. */
export function prefetch<const To extends LinkText>(to: LinkTo<To>, ...[params]: AfterTarget<To>): void {
  runtime("prefetch").prefetch(addressOf(to, params));
}

function addressOf(to: string, params: ParamInput | undefined): string {
  return params ? href(to, params) : to;
}
