import type { TypedSearches } from "./write-search.ts";

/**
 * How searches with a schema are written. The build of an application in which a page exports a search schema replaces
 * this module, on both sides. For all others it is null, and the bundler removes every branch that depends on it.
 */
export const typedSearches: TypedSearches | null = null;

/** Whether a page exports a schema for its parameters. */
export const typedParams: boolean = false;
