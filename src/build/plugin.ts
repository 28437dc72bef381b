import { resolve } from "node:path";
import { isCSSRequest, type Plugin } from "vite";
import { actionFiles } from "./action-files.ts";
import { problemsOfRules, readRulesOf } from "./address-rules.ts";
import { readApplication } from "./application-files.ts";
import { placeApplication } from "./application-path.ts";
import { buildBothSides } from "./build-both-sides.ts";
import { devAssets } from "./dev/dev-assets.ts";
import { guardEditor } from "./dev/guard-editor.ts";
import { hostEntryId, hostEntryPattern, writeHostEntry } from "./dev/host-entry-points.ts";
import { preparedPackagesFolder } from "./dev/packages-folder.ts";
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
  writeTexts,
} from "./entries.ts";
import { readEnvironmentFiles } from "./environment-files.ts";
import { browserSettings, commonSettings, serverSettings } from "./environments.ts";
import { buildErrors } from "./errors.ts";
import { fontImports } from "./fonts/font-imports.ts";
import { writeTypes } from "./generate-types.ts";
import { linkCheck } from "./guards/check-links.ts";
import { ImportChains } from "./guards/import-chain.ts";
import { privateEnvironmentGuard } from "./guards/private-environment.ts";
import { serverCodeGuard } from "./guards/server-code.ts";
import { imageImports } from "./images/image-imports.ts";
import { assetsBelow, type BrowserBuild } from "./output/browser-assets.ts";
import { growingFolder } from "./output/output-folders.ts";
import { smallPreloadHelper } from "./output/preload-helper.ts";
import { reactModules } from "./output/react-modules.ts";
import { browserReportEntry, entryPoints, hostEntryPoints, runsFromSource } from "./own-package.ts";
import { namesService, readBuildSettings } from "./read-config.ts";
import { isStaticBuild } from "./static/is-static-build.ts";
import { runsTests } from "./test-run.ts";
import {
  assetsModule,
  browserEntry,
  devEntry,
  devMain,
  laterModule,
  refreshModule,
  serverEntry,
  styleNonceModule,
  textsModule,
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

  // A folder of files has no server that would take reports: it needs a service.
  const reports = async (folder: string): Promise<boolean> =>
    (options.browserReports ?? true) && (!isStaticBuild() || namesService(await readBuildSettings(folder)));
  const elsewhere = options.elsewhere ?? [];
  const wrongRules = (): string[] => problemsOfRules(known().rules, known().application, elsewhere);

  return [
    {
      name: pluginName,
      sharedDuringBuild: true,
      async config(config, { command }) {
        const folder = resolve(config.root ?? process.cwd());
        // As a server start does, so that both sides have the same variables.
        readEnvironmentFiles(folder, command === "serve" ? "development" : "production");
        // A shell or a test runner may have set another value. Vite would build for development then, for which the
        // React of the server's bundle is not made.
        if (command === "build") process.env.NODE_ENV = "production";
        const application = await readApplication(folder, at);
        await writeTypes(application);
        const rules = await readRulesOf(folder);
        work = { outDir, application, chains, rules, browserReports: await reports(folder) };
        const { assets } = application;
        const cacheDir = config.cacheDir ?? preparedPackagesFolder(folder);
        const settings = { ...commonSettings(application, outDir), ...(cacheDir === undefined ? {} : { cacheDir }) };
        // Vite writes it into styles, and into modules that name a file. Modules import each other by relative paths.
        return command === "build" && assets !== undefined ? { ...settings, base: `${assets}/` } : settings;
      },
      configEnvironment(name, userOptions, { command }) {
        if (name === "client") return browserSettings(growingFolder(outDir), known().application, userOptions);
        return name === "ssr" ? serverSettings(growingFolder(outDir), known().application, command) : undefined;
      },
      // Styles have no source maps, so a plugin that makes none loses nothing.
      onLog: (_level, { code, id }) =>
        code === "SOURCEMAP_BROKEN" && id !== undefined && isCSSRequest(id) ? false : undefined,
      // In development, where pages come and go, each is a warning.
      configureServer: ({ config }) => {
        for (const problem of wrongRules()) config.logger.warn(problem);
      },
      buildApp: (builder) => {
        const problems = wrongRules();
        if (problems.length > 0) throw buildErrors.wrongRules(problems);
        return buildBothSides(builder, known());
      },
    },
    entriesPlugin(known),
    actionFiles(root),
    imageImports(() => {
      const { root: folder, at: path, images } = known().application;
      return { root: folder, at: path, settings: images };
    }),
    fontImports(root),
    serverCodeGuard(root, chains),
    privateEnvironmentGuard(root, chains),
    wholeFiles(),
    watchPages(known),
    guardEditor(),
    printRefusals(),
    linkCheck(
      () => known().application,
      () => ({ elsewhere, rules: known().rules }),
    ),
    entryPointsPlugin(),
    placeApplication(() => known().application),
    smallPreloadHelper(),
    reactModules(),
    watchedPackages(),
  ];
}

/** Serves the generated modules. */
function entriesPlugin(known: () => Work): Plugin {
  const modules: Readonly<Record<string, (dev: boolean, styleNonce: string | undefined) => string>> = {
    [serverEntry]: () => writeServerEntry(known().application),
    [browserEntry]: (dev) => writeBrowserEntry(known(), dev),
    [laterModule]: () => writeLater(known()),
    [assetsModule]: (dev) =>
      writeAssets(dev ? devAssets(known().application) : known().browser, dev ? undefined : known().application.assets),
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
      handler: (id) => (id in modules || id.startsWith(textsModule) ? `\0${id}` : undefined),
    },
    load: {
      filter: { id: /^\0virtual:holdfast\// },
      handler(id) {
        const { html } = this.environment.getTopLevelConfig();
        if (id.startsWith(`\0${textsModule}`)) return writeTexts(known().application, id.slice(textsModule.length + 1));
        return modules[id.slice(1)]?.(this.environment.mode === "dev", html?.cspNonce);
      },
    },
  };
}

function writeAssets(browser: BrowserBuild | undefined, prefix?: string): string {
  if (!browser) throw new Error("The server is built after the browser, because it names the browser's files.");
  const assets = prefix === undefined ? browser.assets : assetsBelow(prefix, browser.assets);
  return `export const build = ${JSON.stringify(browser.build)};\nexport const assets = ${JSON.stringify(assets)};\n`;
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
        if (runsTests(this.environment)) return file;
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
