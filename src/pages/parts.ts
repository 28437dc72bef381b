import type { ComponentType, ReactNode } from "react";
import type { LanguageTable, ParamMatchers, RouteTable } from "#routes";
import type { Texts } from "./texts/texts.ts";

/**
 * What the build passes to the two sides. The generated server entry calls `createPageHandler(applicationParts,
 * options)` of `server/`, the generated browser entry calls `startBrowser(browserParts)` of `browser/`.
 */
export type Lazy<Module> = () => Promise<Module>;

/** A page file: its component, and no server code. */
export interface PageModule {
  default: ComponentType<{
    data: unknown;
    params: Readonly<Record<string, string>>;
    actions: unknown;
    search?: unknown;
  }>;
}

export interface LayoutModule {
  default: ComponentType<{
    data: unknown;
    params: Readonly<Record<string, string>>;
    actions: unknown;
    children: ReactNode;
  }>;
}

export interface ErrorModule {
  default: ComponentType<ErrorProps>;
}

/**
 * Props of an `_error` file. They contain nothing of the error itself: in production no message and no stack reaches a
 * visitor.
 */
export interface ErrorProps {
  /** Identifies this occurrence for support. Absent only if nothing recorded it. */
  digest?: string | undefined;
  side: "server" | "browser";
  /** 401 and 403 when a guard refused, 5xx when something failed. */
  status: number;
  /**
   * Set if a page was unreachable: `loop` when full loads failed repeatedly, `redirect-loop` when redirects form a
   * circle.
   */
  reason?: "loop" | "redirect-loop" | undefined;
  /** Loads the page's data again and renders it. */
  retry: () => void;
}

/** What the built-in page shows, and why. */
export type BuiltIn = (({ kind: "error" } & ErrorProps) | { kind: "not-found"; path: string }) & {
  /** Rendered inside a layout of the application, which has its own background and `<main>`. */
  inLayout?: boolean;
};

export interface PlainModule {
  default: ComponentType;
}

/** A `.server.ts` file. Each export is checked at its first use, because it comes from the application. */
export type ServerModule = Readonly<Record<string, unknown>>;

/** Parallel to `RouteTable.routes` and `RouteTable.folders`. */
export interface FolderModules {
  layout?: Lazy<LayoutModule>;
  error?: Lazy<ErrorModule>;
  notFound?: Lazy<PlainModule>;
  loading?: Lazy<PlainModule>;
  /** The start of the names of its layout's actions, if the layout has a server half: `shop/_layout/`. */
  actions?: string;
}

export interface ApplicationParts {
  build: string;
  table: RouteTable;
  routes: readonly { page?: Lazy<PageModule>; server?: Lazy<ServerModule> }[];
  folders: readonly (FolderModules & { server?: Lazy<ServerModule> })[];
  /** Files of actions alone, by the start of their names: `parts/cart.actions/`. */
  actionFiles?: Readonly<Record<string, Lazy<ServerModule>>>;
  /** Whether addresses of pages end with a slash. */
  trailingSlash?: boolean;
  /** The exports of `src/matchers.ts`, if a route names a matcher. */
  matchers?: ParamMatchers;
  /** `src/request.server.ts`, if it exists. */
  request?: Lazy<ServerModule>;
  /** `src/schedules.server.ts`, if it exists. */
  schedules?: Lazy<ServerModule>;
  /** `src/lifecycle.server.ts`, if it exists. */
  lifecycle?: Lazy<ServerModule>;
  assets: Assets;
  /** `languages` of the configuration. */
  languages?: ApplicationLanguages;
}

export interface ApplicationLanguages {
  table: LanguageTable;
  /** Texts of the framework, by language. */
  texts: Readonly<Record<string, Texts>>;
}

/** Files of a first load, by address. All addresses begin with `/`. */
export interface Assets {
  /** Where all of these are, if not at the application's origin: `https://cdn.example/shop`. */
  prefix?: string;
  /** The browser's entry module. */
  entry: string;
  /** Modules the entry imports, to be preloaded with it. */
  entryImports: readonly string[];
  /** Styles that every page needs. */
  styles: readonly string[];
  /** Parallel to `RouteTable.routes`; for the page and all its folders' files. */
  routes: readonly { modules: readonly string[]; styles: readonly string[] }[];
  /** Parallel to `RouteTable.folders`; for that folder's `_error` and `_not-found` files. */
  folders: readonly { modules: readonly string[]; styles: readonly string[] }[];
  /** By language: the module with the texts of the framework. */
  texts?: Readonly<Record<string, string>>;
}

/** A route as the browser knows it. Its segments follow from its id; file names stay on the server. */
export interface BrowserRoute {
  /** As an address of the host: `/admin/users/[id]` for the route `/users/[id]` of an application below `/admin`. */
  id: string;
  /** Indexes into `BrowserParts.folders`, from the root to the nearest. */
  folders: readonly number[];
  /** Undefined for an API route, which is listed so that a link to it is not taken for a page. */
  page?: Lazy<PageModule>;
}

export interface BrowserParts {
  /**
   * The page that is shown where the application has none of its own. It is part of the code that loads after
   * hydration, or a file of its own if the root folder has a page for errors and one for addresses without a page:
   * then it is needed only if the page for errors fails.
   */
  builtIn: Lazy<{ readonly BuiltInPage: ComponentType<BuiltIn> }>;
  build: string;
  routes: readonly BrowserRoute[];
  folders: readonly FolderModules[];
  /** Texts of the framework, by language. */
  texts?: Readonly<Record<string, Lazy<{ default: Texts }>>>;
}
