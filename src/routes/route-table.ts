/** One segment of a path. */
export type PathSegment =
  | { kind: "static"; text: string }
  /** `matcher`: the function of `src/matchers.ts` that has to accept the value. */
  | { kind: "param"; name: string; matcher?: string }
  /** Matches one segment or none. A path has at most one of them. */
  | { kind: "optional"; name: string; matcher?: string }
  /** Matches all remaining segments, at least one; its value is the rest of the path, joined by `/`. */
  | { kind: "rest"; name: string };

/** The paths that segments match, each with every segment: with its optional one, and without it. */
export function fixedPaths(segments: readonly PathSegment[]): readonly (readonly PathSegment[])[] {
  const short = segments.filter(({ kind }) => kind !== "optional");
  return short.length < segments.length ? [segments, short] : [segments];
}

/** The order of segments that match one segment of a path: with a matcher first, in the order of their names. */
export function orderOf({ kind, matcher = "~" }: Extract<PathSegment, { kind: "param" | "optional" }>): string {
  return (kind === "param" ? 0 : 1) + matcher;
}

/** One address of the application: a page, or an API route (a `.server.ts` without a page beside it). */
export interface RouteEntry {
  /** Path inside the application, as in the file names, without groups: `/`, `/orders/[id]`. Unique. */
  id: string;
  kind: "page" | "api";
  segments: readonly PathSegment[];
  /**
   * Indexes into `folders`, from the root to the nearest: the folders whose special files apply. Always begins with 0.
   */
  folders: readonly number[];
  /** File names relative to the pages folder, with forward slashes. An API route has only `server`. */
  page?: string;
  server?: string;
}

/** A folder with at least one special file. The root folder always exists, at index 0. */
export interface FolderEntry {
  /** Path including groups, because a group may have its own layout: `/`, `/(shop)/orders`. Unique. */
  id: string;
  layout?: string;
  /** `_layout.server.ts`: the layout's `data` and the folder's `guard`. */
  server?: string;
  error?: string;
  notFound?: string;
  loading?: string;
}

/** Routes derived from file names. Created once by the build; equal in browser and server. Plain JSON. */
export interface RouteTable {
  /** Path below which all routes are, such as `/admin`; empty if the application has the host to itself. */
  at: string;
  /** Most specific first. */
  routes: readonly RouteEntry[];
  folders: readonly FolderEntry[];
}
