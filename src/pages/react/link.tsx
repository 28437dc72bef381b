import type { AnchorHTMLAttributes, ReactNode } from "react";
import { href, type ParamInput, type SearchInput } from "#routes";
import { runtimeIfRunning } from "./browser-runtime.ts";

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** A route (`/orders/[id]`) with its `params`, or a path. */
  to: string;
  params?: ParamInput;
  search?: SearchInput;
  hash?: string;
  /** When its page is fetched ahead: `intent` (the default) when the visitor is heading for it, `viewport` when it is seen, `render` at once. */
  prefetch?: "intent" | "viewport" | "render" | "none";
  /** Takes the place of the current entry in the browser's history. */
  replace?: boolean;
  /** `keep` leaves the page scrolled as it is. */
  scroll?: "keep";
  /** Shows the change as a view transition, where the browser can. */
  transition?: boolean;
  children?: ReactNode;
}

/**
 * A link to a page. It is a plain `<a>`: what it asks for stands in its attributes, so that ten thousand of them cost no more than ten thousand
 * plain ones. Without script it is a link like any other.
 *
 * @example <Link to="/orders/[id]" params={{ id: order.id }}>Order {order.id}</Link>
 */
export function Link({
  to,
  params,
  search,
  hash,
  prefetch,
  replace,
  scroll,
  transition,
  ...rest
}: LinkProps): ReactNode {
  const address = params || search ? href(to, params, search) : to;
  const asks = prefetch === "viewport" || prefetch === "render";
  return (
    <a
      {...rest}
      href={hash ? `${address}#${hash}` : address}
      data-prefetch={prefetch}
      data-replace={replace ? "" : undefined}
      data-scroll={scroll}
      data-transition={transition ? "" : undefined}
      ref={asks ? watchLink : undefined}
    />
  );
}

/** One function for all links, so that none has a closure of its own. */
function watchLink(link: HTMLAnchorElement | null): (() => void) | undefined {
  return link ? runtimeIfRunning()?.watch(link) : undefined;
}
