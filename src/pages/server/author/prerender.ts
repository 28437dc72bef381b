import type { Language, LinkParams, PageId } from "#routes";

/** The argument of a function that lists the parameters of a page. */
export interface PrerenderContext {
  /** The language whose pages are listed, or that of the configuration where the application has no `languages`. */
  readonly lang: Language;
}

type ListedParams<Id extends PageId> = Iterable<LinkParams<Id>> | AsyncIterable<LinkParams<Id>>;

/** A list of parameters, or a function or generator that returns them. */
export type PrerenderParams<Id extends PageId = PageId> =
  | readonly LinkParams<Id>[]
  | ((context: PrerenderContext) => ListedParams<Id> | Promise<ListedParams<Id>>);

export interface PrerenderOptions<Id extends PageId = PageId> {
  params: PrerenderParams<Id>;
  /** What an address with other parameters is: rendered for each request, or not found. `render` by default. */
  others?: "render" | "not-found";
}

/**
 * The type of `prerender` in a page's server half: `true`, or the parameters of the pages that `holdfast build` makes.
 *
 * @example export const prerender: Prerender<"/docs/[guide]"> = guides.map(({ name }) => ({ guide: name }));
 */
export type Prerender<Id extends PageId = PageId> = boolean | PrerenderParams<Id> | PrerenderOptions<Id>;
