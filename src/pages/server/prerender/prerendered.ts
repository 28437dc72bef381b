import type { Exchange } from "#http";

/** What a page says about being made by the build. */
export interface DeclaredPrerender {
  /** Undefined for the one page of a route without parameters. */
  params: readonly unknown[] | ((context: { lang: string }) => unknown) | undefined;
  /** What other addresses of the route are. */
  others: "render" | "not-found";
}

/** A page that the build has made: its document and its data. */
export interface PrerenderedPage {
  /** Hashes of its scripts, as the Content Security Policy has them. */
  readonly scripts: string;
  /** The origin of its absolute addresses. Undefined if it has none. */
  readonly origin?: string | undefined;
  /** The page's own `Cache-Control`. */
  readonly cache?: string | undefined;
  /** Sends the file with these headers, or 304. `areConstant`: most requests get this very list. */
  send(variant: "document" | "data", exchange: Exchange, headers: readonly string[], areConstant?: boolean): void;
}

/** The pages that a build has made. */
export interface PrerenderedPages {
  /** Identifies the settings that their documents contain. */
  readonly settings: string;
  /** By language, where the application has some, and by path without it. */
  find(lang: string | undefined, path: string): PrerenderedPage | undefined;
}
