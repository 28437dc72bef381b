import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isCSSRequest, type Plugin } from "vite";
import { readApplication } from "./application-files.ts";
import { placeApplication } from "./application-path.ts";
import { buildBothSides } from "./build-both-sides.ts";
import { devAssets } from "./dev/dev-assets.ts";
import { guardEditor } from "./dev/guard-editor.ts";
import { hostEntryId, hostEntryPattern, writeHostEntry } from "./dev/host-entry-points.ts";
import { printRefusals } from "./dev/print-refusals.ts";
import { watchPages } from "./dev/watch-pages.ts";
import { wholeFiles } from "./dev/whole-files.ts";
import {
  refreshCode,
  writeBrowserEntry,
  writeDevEntry,
  writeDevMain,
  writeLater,
  writeServerEntry,
  writeStyleNonce,
} from "./entries.ts";
import { browserSettings, commonSettings, serverSettings } from "./environments.ts";
import { writeTypes } from "./generate-types.ts";
import { linkCheck } from "./guards/check-links.ts";
import { ImportChains } from "./guards/import-chain.ts";
import { privateEnvironmentGuard } from "./guards/private-environment.ts";
import { serverCodeGuard } from "./guards/server-code.ts";
import type { BrowserBuild } from "./output/browser-assets.ts";
import { growingFolder } from "./output/output-folders.ts";
import { smallPreloadHelper } from "./output/preload-helper.ts";
import { browserReportEntry, entryPoints, hostEntryPoints, runsFromSource } from "./own-package.ts";
import {
  assetsModule,
  browserEntry,
  devEntry,
  devMain,
  laterModule,
  refreshModule,
  serverEntry,
  styleNonceModule,
} from "./virtual-modules.ts";
import { watchedPackages } from "./watched-packages.ts";
import type { Work } from "./work.ts";

export interface HoldfastPluginOptions {
  /** Output folder of the build, relative to the root; `dist`. */
  outDir?: string;
  /** Path prefixes that another server on this host answers, so that literal links to them are valid: `["/shop"]`. */
  elsewhere?: readonly string[];
  /**
   * Path below which the whole application lives, `/admin`: `src/pages/users.tsx` is the route `/users` at
   * `/admin/users`, and its files are below `/admin/_assets`. Two applications can then share a host.
   */
  at?: string;
  /**
   * Whether browsers report errors; default `true`. With `false`, the browser's files contain no reporting code. The
   * server still reports its errors.
   */
  browserReports?: boolean;
}

export const pluginName = "holdfast";

/** The Vite plugin: page files become the routes of a browser bundle and a server bundle. */
export function holdfast(options: HoldfastPluginOptions = {}): Plugin[] {
  const outDir = options.outDir ?? "dist";
  const at = options.at ?? "";
  let work: Work | undefined;
  const root = (): string => known().application.root;
  const chains = new ImportChains(root);
  const known = (): Work => {
    if (!work) throw new Error("The application's files are read in Vite's config hook, which has not run.");
    return work;
  };

  return [
    {
      name: pluginName,
      sharedDuringBuild: true,
      async config(config) {
        const folder = resolve(config.root ?? process.cwd());
        readEnvironmentFile(folder);
        const application = await readApplication(folder, at);
        await writeTypes(application);
        work = { outDir, application, chains, browserReports: options.browserReports ?? true };
        return commonSettings(application, outDir);
      },
      configEnvironment(name, userOptions, { command }) {
        if (name === "client") return browserSettings(growingFolder(outDir), known().application, userOptions);
        return name === "ssr" ? serverSettings(growingFolder(outDir), at, command) : undefined;
      },
      // Styles have no source maps, so a plugin that makes none loses nothing.
      onLog: (_level, { code, id }) =>
        code === "SOURCEMAP_BROKEN" && id !== undefined && isCSSRequest(id) ? false : undefined,
      buildApp: (builder) => buildBothSides(builder, known()),
    },
    entriesPlugin(known),
    serverCodeGuard(root, chains),
    privateEnvironmentGuard(root, chains),
    wholeFiles(),
    watchPages(known),
    guardEditor(),
    printRefusals(),
    linkCheck(() => known().application, options.elsewhere ?? []),
    entryPointsPlugin(),
    placeApplication(at),
    smallPreloadHelper(),
    watchedPackages(),
  ];
}

/** Reads `.env` as a server start does: one file for both sides, and variables that are already set win. */
function readEnvironmentFile(folder: string): void {
  const file = resolve(folder, ".env");
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Serves the generated modules. */
function entriesPlugin(known: () => Work): Plugin {
  const modules: Readonly<Record<string, (dev: boolean, styleNonce: string | undefined) => string>> = {
    [serverEntry]: () => writeServerEntry(known().application),
    [browserEntry]: (dev) => writeBrowserEntry(known(), dev),
    [laterModule]: () => writeLater(known()),
    [assetsModule]: (dev) => writeAssets(dev ? devAssets(known().application) : known().browser),
    [devEntry]: writeDevEntry,
    [devMain]: writeDevMain,
    [refreshModule]: () => refreshCode,
    [styleNonceModule]: (_dev, styleNonce) => writeStyleNonce(styleNonce),
  };
  return {
    name: "holdfast:entries",
    sharedDuringBuild: true,
    resolveId: {
      filter: { id: /^virtual:holdfast\// },
      handler: (id) => (id in modules ? `\0${id}` : undefined),
    },
    load: {
      filter: { id: /^\0virtual:holdfast\// },
      handler(id) {
        const { html } = this.environment.getTopLevelConfig();
        return modules[id.slice(1)]?.(this.environment.mode === "dev", html?.cspNonce);
      },
    },
  };
}

function writeAssets(browser: BrowserBuild | undefined): string {
  if (!browser) throw new Error("The server is built after the browser, because it names the browser's files.");
  return `export const build = ${JSON.stringify(browser.build)};\nexport const assets = ${JSON.stringify(browser.assets)};\n`;
}

/** Resolves `holdfast` and its entry points to this package. */
function entryPointsPlugin(): Plugin {
  return {
    name: "holdfast:entry-points",
    sharedDuringBuild: true,
    enforce: "pre",
    resolveId: {
      filter: { id: /^holdfast(?:\/|$)/ },
      handler(id) {
        const file = entryPoints.get(id);
        if (!file) return undefined;
        if (this.environment.name === "client" && id === "holdfast/report") return browserReportEntry;
        if (this.environment.name !== "ssr" || !hostEntryPoints.has(id)) return file;
        if (this.environment.mode === "dev") return hostEntryId(id);
        // Applications in this repository have no package "holdfast" to resolve at run time.
        return runsFromSource ? { id: file, external: "absolute" } : { id, external: true };
      },
    },
    load: { filter: { id: hostEntryPattern }, handler: writeHostEntry },
  };
}
