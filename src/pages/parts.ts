import type { ComponentType, ReactNode } from "react";
import type { RouteTable } from "#routes";

/**
 * What the build hands to the two sides. The generated server entry calls `createPageHandler(applicationParts,
 * options)` of `server/`, the generated browser entry calls `startBrowser(browserParts)` of `browser/`.
 */
export type Lazy<Module> = () => Promise<Module>;

/** A page file: its component, and nothing that only a server may know. */
export interface PageModule {
  default: ComponentType<{
    data: unknown;
    params: Readonly<Record<string, string>>;
    actions: unknown;
    search?: unknown;
  }>;
}

export interface LayoutModule {
  default: ComponentType<{ data: unknown; params: Readonly<Record<string, string>>; children: ReactNode }>;
}

export interface ErrorModule {
  default: ComponentType<ErrorProps>;
}

/**
 * What an `_error` file gets. Nothing of the error itself: no message and no stack ever reaches a visitor in
 * production.
 */
export interface ErrorProps {
  /** Leads support to this very occurrence. Absent only when nothing recorded it. */
  digest?: string | undefined;
  side: "server" | "browser";
  /** 401 and 403 when a guard refused, 5xx when something broke. */
  status: number;
  /**
   * Set where a page could not be reached: `loop` when loading it as a whole failed again and again, `redirect-loop`
   * when pages sent the visitor in a circle.
   */
  reason?: "loop" | "redirect-loop" | undefined;
  /** Loads the page's data again and renders it. */
  retry: () => void;
}

export interface PlainModule {
  default: ComponentType;
}

/** A `.server.ts` file. Every export is checked when it is first used, because it comes from the application. */
export type ServerModule = Readonly<Record<string, unknown>>;

/** Parallel to `RouteTable.routes` and `RouteTable.folders`. */
export interface FolderModules {
  layout?: Lazy<LayoutModule>;
  error?: Lazy<ErrorModule>;
  notFound?: Lazy<PlainModule>;
  loading?: Lazy<PlainModule>;
}

export interface ApplicationParts {
  build: string;
  table: RouteTable;
  routes: readonly { page?: Lazy<PageModule>; server?: Lazy<ServerModule> }[];
  folders: readonly (FolderModules & { server?: Lazy<ServerModule> })[];
  /** `src/request.server.ts`, where there is one. */
  request?: Lazy<ServerModule>;
  assets: Assets;
}

/** What a first load needs, by address. All addresses begin with `/`. */
export interface Assets {
  /** The browser's entry module. */
  entry: string;
  /** Modules the entry imports itself, to be preloaded with it. */
  entryImports: readonly string[];
  /** Styles that every page needs. */
  styles: readonly string[];
  /** Parallel to `RouteTable.routes`; for the page and all its folders' files. */
  routes: readonly { modules: readonly string[]; styles: readonly string[] }[];
  /** Parallel to `RouteTable.folders`: what showing that folder's `_error` or `_not-found` needs. */
  folders: readonly { modules: readonly string[]; styles: readonly string[] }[];
}

/** What a browser knows of a route. Its segments can be read from its id; file names stay on the server. */
export interface BrowserRoute {
  id: string;
  /** Indexes into `BrowserParts.folders`, from the root to the nearest. */
  folders: readonly number[];
  /** An API route has none; it is in the list so that a link to it is known not to lead to a page. */
  page?: Lazy<PageModule>;
}

export interface BrowserParts {
  build: string;
  routes: readonly BrowserRoute[];
  folders: readonly FolderModules[];
}
