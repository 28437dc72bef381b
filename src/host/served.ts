import type { IncomingMessage, ServerResponse } from "node:http";
import type { HandlerOptions, PageHandler } from "#pages";
import type { DevelopmentSource } from "#service";
import type { BrowserFiles } from "./browser-files.ts";
import type { HoldfastConfig } from "./settings.ts";

/** The application to serve: a build, or its current sources. */
export interface Served {
  /** The application's folder. */
  root: string;
  /** Folder of the build, source maps included; absent in development. */
  buildFolder?: string;
  /** Release that the build has recorded. */
  release?: string | undefined;
  config: HoldfastConfig;
  development: boolean;
  /** Whether it runs beside the server that visitors reach, and therefore runs no schedules. */
  isPrivate?: boolean;
  /** Nonce of the styles that Vite's client inserts in development. */
  styleNonce?: string;
  files: BrowserFiles;
  openPages: (options: HandlerOptions) => Promise<PageHandler>;
  /** In development: what agents read of the running application. */
  developer?: DevelopmentSource;
  /** In development: answers what the browser asks of Vite, wherever the application lives, or calls `next`. */
  beside?: (incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
}
