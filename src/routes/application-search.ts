import { type TypedSearches, writtenSearches } from "./write-search.ts";

/**
 * How searches with a schema are written. The build replaces this module, on both sides: in an application in which no
 * page exports a search schema it is null, and the bundler removes every branch that depends on it.
 */
export const typedSearches: TypedSearches | null = writtenSearches;

/**
 * Whether a route has an optional parameter or a matcher. It is true for code that runs without a build, so that it
 * reads every id.
 */
export const richIds: boolean = true;

/** Whether a page exports a schema for its parameters. */
export const typedParams: boolean = true;
