import { type AnchorHTMLAttributes, type ComponentProps, type ReactNode, use } from "react";
import { jsx } from "react/jsx-runtime";
import type {
  FreeParams,
  IsPage,
  Language,
  LinkNeeds,
  LinkSearch,
  LinkText,
  LinkTo,
  ParamsFor,
  SearchFor,
} from "#routes";
import {
  applicationPath,
  hasOptional,
  href,
  languages,
  type ParamInput,
  richIds,
  targetAddress,
  typedSearches,
} from "#routes/href";
import { typedAddressOf } from "../view.ts";
import { runtimeIfRunning } from "./browser-runtime.ts";
import { PageContext } from "./page-context.ts";

export interface LinkPresentation {
  /**
   * When its page is prefetched: `intent` (the default) when the visitor is heading for it, `viewport` when it is
   * visible, `render` at once.
   */
  prefetch?: "intent" | "viewport" | "render" | "none";
  /** Replaces the current entry in the browser's history. */
  replace?: boolean;
  /** `keep` keeps the scroll position. */
  scroll?: "keep";
  /** Shows the change as a view transition, if the browser supports it. */
  transition?: boolean;
  /**
   * Opens the page as a dialog over the current one, which stays as it is. A new tab, a reload and a browser without
   * scripts show it as a whole page.
   */
  dialog?: boolean;
}

/**
 * `to` is a page with its `params`, or a path of the application. `lang` is that of the target where the application
 * has languages. All other props are those of `<a>`.
 */
export type LinkProps<To extends string> = PropsOf<To, string> extends infer Props extends AnyAim ? Props : Aim<To>;

/** What the compiler infers `To` from. */
interface Aim<To extends string> {
  to: To | string;
}

/** One for all targets: against `Aim<To>` the compiler compared the props of each. */
interface AnyAim {
  to: string;
}

type PropsOf<To extends string, Name> =
  IsPage<To> extends true
    ? PageLink<LinkNeeds<To>, ParamsFor<To>, FreeParams<To, undefined>, SearchFor<To>> & Attributes<Name>
    : OtherLink<To> & Attributes<Name>;

interface Anchor extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "lang"> {}

/** Names that no attribute of `<a>` has. Without a check, JSX accepts each name that has a hyphen. */
type OtherName = keyof WithBoth<unknown, unknown> | "key" | `${string}-${string}`;

/**
 * The attributes of `<a>` that a link has, so that the compiler need not list all 280 of them again for each page with
 * a search of its own: that was an eighth of its memory for 500 pages. They are all of them for a link with a prop that
 * does not exist, whose message names the nearest one, and while an editor asks which props a link can have: the
 * compiler does not infer them then.
 */
type Attributes<Name> = "to" extends Name
  ? [Name] extends [keyof Anchor | OtherName]
    ? Pick<Anchor, Name & keyof Anchor>
    : Anchor
  : Anchor;

// These are interfaces by what a link has, not by its target, so that most links share the same few.

type PageLink<Needs extends keyof PageLinks<unknown, unknown, unknown>, Params, Free, Search> = PageLinks<
  Params,
  Free,
  Search
>[Needs];

interface PageLinks<Params, Free, Search> {
  nothing: WithNeither<Free, Search>;
  params: WithParams<Params, Search>;
  search: WithSearch<Free, Search>;
  both: WithBoth<Params, Search>;
}

interface AnyLink extends LinkPresentation {
  hash?: string;
  /** The language of the target; that of the present page by default. */
  lang?: Language;
}

interface WithNeither<Params, Search> extends AnyLink {
  to: string;
  params?: Params;
  search?: Search | undefined;
}

interface WithParams<Params, Search> extends AnyLink {
  to: string;
  params: Params;
  search?: Search | undefined;
}

interface WithSearch<Params, Search> extends AnyLink {
  to: string;
  params?: Params;
  search: Search;
}

interface WithBoth<Params, Search> extends AnyLink {
  to: string;
  params: Params;
  search: Search;
}

/** An address of the application, or a target that no page matches. */
interface OtherLink<To extends string> extends AnyLink {
  to: LinkTo<To>;
  params?: FreeParams<To, undefined>;
  search?: LinkSearch<To> | undefined;
}

/**
 * A link to a page. It renders a plain `<a>` with its options as attributes, so that ten thousand of them cost no more
 * than ten thousand plain ones. Without script it works like any link.
 *
 * @example <Link to="/orders/[id]" params={{ id: order.id }}>Order {order.id}</Link>
 */
export function Link<To extends LinkText, Written extends object = object>(
  // Those of `LinkProps`, with the attributes that are written. The compiler infers `To` and `Written` from the last
  // part alone: through `infer` it does not look at the other props until it knows both. Otherwise it compared those of
  // every kind of link. Here and not in an alias, of which it would make one more for each link.
  props: PropsOf<To, keyof Written> extends infer Props extends AnyAim ? Props : Aim<To> & Written,
): ReactNode {
  // The conditional types serve the caller; the implementation needs only this one.
  const all = props as LinkProps<string> as LinkProps<string> & Readonly<Record<string, unknown>>;
  const anchor: AnchorProps & { lang?: Language } = { href: "" };
  // A rest pattern in place of this loop would double the cost of a link.
  for (const name in all) {
    const value = all[name];
    switch (name) {
      case "to":
      case "params":
      case "search":
      case "hash":
        break;
      case "prefetch":
      case "scroll":
        if (value) anchor[`data-${name}`] = String(value);
        break;
      case "replace":
      case "transition":
      case "dialog":
        if (value) anchor[`data-${name}`] = "";
        break;
      default:
        anchor[name as `data-${string}`] = value as string;
    }
  }
  anchor.href = linkAddress(all, anchor);
  if (languages && anchor.lang !== undefined) {
    const path = languages.without(new URL(anchor.href, "http://a").pathname);
    // A page that is not translated is in the default language.
    if (languages.of(path).some(({ lang }) => lang === anchor.lang)) anchor.hrefLang = anchor.lang;
    // As an attribute of the link it would say in which language its own text is.
    delete anchor.lang;
  }
  if (all.prefetch === "viewport" || all.prefetch === "render") anchor.ref = watchLink;
  return jsx("a", anchor);
}

/** The address that a link has as its `href`. `anchor` says in which language, if the application has several. */
export function linkAddress({ to, params, search, hash }: LinkAddressProps, anchor?: { lang?: Language }): string {
  const address =
    params || search || (richIds && hasOptional(to))
      ? href(
          to,
          params as ParamInput | undefined,
          typedSearches && search ? shortSearch(to, search) : search,
          languages ? anchor : undefined,
        )
      : applicationPath || languages
        ? targetAddress(to, undefined, undefined, anchor)
        : to;
  return hash ? `${address}#${hash}` : address;
}

/** The props that make a link's address. */
export type LinkAddressProps = Pick<LinkProps<string>, "to" | "params" | "search" | "hash">;

/** A page's links to itself leave out what its address means anyway. */
function shortSearch(to: string, search: object): object {
  const page = use(PageContext);
  const typed = page?.route === to ? typedAddressOf(page.view) : undefined;
  return typed ? (typedSearches?.withoutDefaults(search, typed.defaults) ?? search) : search;
}

type AnchorProps = ComponentProps<"a"> & Record<`data-${string}`, string>;

/** One function for all links, so that none allocates a closure. */
function watchLink(link: HTMLAnchorElement | null): (() => void) | undefined {
  return link ? runtimeIfRunning()?.watch(link) : undefined;
}
