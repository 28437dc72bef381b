import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageAddressOf } from "#errors";
import type { HandlerOptions, PageHandler } from "#pages";
import {
  type Access,
  type ConsoleApi,
  consolePath,
  type HealingSource,
  type KeptSource,
  openConsoleApi,
  setConsoleApi,
} from "#service";
import { silentServerSignals } from "#signals";
import { type BrowserFiles, openBrowserFiles } from "../browser-files.ts";
import { openBuiltPages } from "../built-pages.ts";
import type { Mount } from "../enter.ts";
import { type EmbeddedService, ownProject } from "./embedded-service.ts";

/** The package contains the built console; in the framework's repository, the build writes it to the same place. */
const builtConsole = fileURLToPath(`${packageAddressOf(import.meta.url)}/dist/console`);

/** The holder of such an address may create an account. */
export const consoleRoutesWithSecrets: string[] = [`${consolePath}/welcome/[secret]`];

export interface ConsoleDeps {
  access: Access;
  delivered?: () => Promise<void>;
  /** What the application has kept. It opens after the service; absent where none runs in this process. */
  kept?: () => KeptSource;
  /** Which build answers its routes. Undefined while nothing watches them. */
  healing?: () => HealingSource | undefined;
}

/** Opens the API that the console uses. */
export function provideConsoleApi(
  embedded: Pick<
    EmbeddedService,
    "folder" | "store" | "shared" | "change" | "changeFeedback" | "changeMonitor" | "drained" | "importLines"
  >,
  { access, delivered, kept, healing }: ConsoleDeps,
): ConsoleApi {
  const api = openConsoleApi({
    service: embedded,
    dataFolder: embedded.folder,
    store: embedded.store,
    access,
    kept: kept && { project: ownProject, source: kept },
    healing: healing && { project: ownProject, source: healing },
    ...(delivered && { delivered }),
  });
  setConsoleApi(api);
  return {
    ...api,
    close: () => {
      setConsoleApi(undefined);
      api.close();
    },
  };
}

/**
 * Serves the console below `/_holdfast`. The first request opens it, so that the application starts without waiting.
 * `openService` resolves when the service is open.
 */
export function createConsoleMount(
  options: HandlerOptions,
  openService: () => Promise<void> | undefined = () => undefined,
): Mount | undefined {
  if (!existsSync(path.join(builtConsole, "manifest.json"))) return undefined;
  let opened: Promise<{ files: BrowserFiles; pages: PageHandler }> | undefined;
  return {
    path: consolePath,
    handle: async (incoming, response) => {
      await openService();
      opened ??= openConsole(consoleOptions(options));
      const { files, pages } = await opened;
      if (!files.serve(incoming, response)) await pages.handle(incoming, response);
    },
  };
}

async function openConsole(options: HandlerOptions): Promise<{ files: BrowserFiles; pages: PageHandler }> {
  const [files, pages] = await Promise.all([openBrowserFiles(builtConsole), openBuiltPages(builtConsole, options)]);
  return { files, pages };
}

/**
 * Uses the options of the application's pages, with three differences. The console does not get the application's
 * additions to the content security policy: it shows untrusted text, which must never run as script. Its own pages are
 * not counted. It is always a build.
 */
function consoleOptions(options: HandlerOptions): HandlerOptions {
  const noScriptFromText = { "require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"] };
  return {
    ...options,
    lang: "en",
    signals: { ...silentServerSignals, errorCaught: options.signals.errorCaught },
    trustedOrigins: [],
    redirectOrigins: [],
    headersFor: undefined,
    rules: undefined,
    policy: { csp: noScriptFromText, hsts: options.policy.hsts },
    headStart: "",
    development: false,
  };
}
