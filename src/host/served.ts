import type { HandlerOptions, PageHandler } from "#pages";
import type { BrowserFiles } from "./browser-files.ts";
import type { HoldfastConfig } from "./config.ts";

/** What is served: a build, or the sources as they are now. */
export interface Served {
  /** The application's folder. */
  root: string;
  /** Where its build lies, source maps included; nothing while developing. */
  buildFolder?: string;
  /** What the build has named itself. */
  release?: string | undefined;
  config: HoldfastConfig;
  development: boolean;
  /** While developing: what the styles that Vite's client puts into a page carry. */
  styleNonce?: string;
  files: BrowserFiles;
  openPages: (options: HandlerOptions) => Promise<PageHandler>;
}
