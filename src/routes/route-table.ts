/** One piece of a path between two slashes. */
export type PathSegment =
  | { kind: "static"; text: string }
  | { kind: "param"; name: string }
  /** Takes all that is left, at least one segment; its value is the rest of the path, joined by `/`. */
  | { kind: "rest"; name: string };

/** One address of the application: a page, or an API route (a `.server.ts` without a page beside it). */
export interface RouteEntry {
  /** The address as its author wrote it, groups left out: `/`, `/orders/[id]`, `/docs/[...rest]`. Unique. */
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

/** A folder with at least one special file. The root folder is always there, at index 0. */
export interface FolderEntry {
  /** Its path with groups kept, because a group may have a layout of its own: `/`, `/(shop)/orders`. Unique. */
  id: string;
  layout?: string;
  /** `_layout.server.ts`: the layout's `data` and the folder's `guard`. */
  server?: string;
  error?: string;
  notFound?: string;
  loading?: string;
}

/** Everything the file names say. Made once by the build; the same in browser and server. Plain JSON. */
export interface RouteTable {
  /** Most specific first. */
  routes: readonly RouteEntry[];
  folders: readonly FolderEntry[];
}
