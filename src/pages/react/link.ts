import type { AnchorHTMLAttributes, ComponentProps, ReactNode } from "react";
import { jsx } from "react/jsx-runtime";
import type { LinkTarget, LinkText } from "#routes";
import { href, type ParamInput } from "#routes/href";
import { runtimeIfRunning } from "./browser-runtime.ts";

export interface LinkPresentation {
  /**
   * When its page is fetched ahead: `intent` (the default) when the visitor is heading for it, `viewport` when it is
   * seen, `render` at once.
   */
  prefetch?: "intent" | "viewport" | "render" | "none";
  /** Takes the place of the current entry in the browser's history. */
  replace?: boolean;
  /** `keep` leaves the page scrolled as it is. */
  scroll?: "keep";
  /** Shows the change as a view transition, where the browser can. */
  transition?: boolean;
}

/** `to` is a page with its `params`, or an address; the rest is as for `<a>`. */
export type LinkProps<To extends string> = LinkTarget<To> &
  LinkPresentation &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">;

/**
 * A link to a page. It is a plain `<a>`: what it asks for stands in its attributes, so that ten thousand of them cost
 * no more than ten thousand plain ones. Without script it is a link like any other.
 *
 * @example <Link to="/orders/[id]" params={{ id: order.id }}>Order {order.id}</Link>
 */
export function Link<const To extends LinkText>(props: LinkProps<To>): ReactNode {
  // The conditional types above are for the caller; inside they all come to this.
  const { to, params, search, hash, prefetch, replace, scroll, transition, ...rest } = props as LinkProps<string>;
  const address = params || search ? href(to, params as ParamInput | undefined, search) : to;
  // `rest` is a copy already. Written as JSX it would be copied once more, for each of ten thousand links.
  const anchor: AnchorProps = rest;
  anchor.href = hash ? `${address}#${hash}` : address;
  if (prefetch) anchor["data-prefetch"] = prefetch;
  if (replace) anchor["data-replace"] = "";
  if (scroll) anchor["data-scroll"] = scroll;
  if (transition) anchor["data-transition"] = "";
  if (prefetch === "viewport" || prefetch === "render") anchor.ref = watchLink;
  return jsx("a", anchor);
}

type AnchorProps = ComponentProps<"a"> & Record<`data-${string}`, string>;

/** One function for all links, so that none has a closure of its own. */
function watchLink(link: HTMLAnchorElement | null): (() => void) | undefined {
  return link ? runtimeIfRunning()?.watch(link) : undefined;
}
