import { readFileSync } from "node:fs";
import { addressBelow, type FolderEntry, fileActions, layoutActions, type RouteEntry } from "#routes";
import type { ApplicationFiles } from "./application-files.ts";
import {
  browserOverlay,
  browserReporting,
  browserReportingLater,
  browserRuntime,
  browserRuntimeLater,
  browserSilence,
  builtInPage,
  englishTexts,
  germanTexts,
  serverRuntime,
} from "./own-package.ts";
import {
  assetsModule,
  browserEntry,
  buildIdMark,
  devMain,
  laterModule,
  refreshModule,
  styleNonceModule,
  textsModule,
} from "./virtual-modules.ts";
import type { Work } from "./work.ts";

export function writeServerEntry(application: ApplicationFiles): string {
  const { root, table, pagesFolder, actionFiles, request, schedules, lifecycle, environment, languages } = application;
  const { trailingSlash, matchers } = application;
  const lazy = (file: string | undefined) => lazyImport(pagesFolder, file);
  // Exported, so that it runs even if a package declares its modules free of side effects.
  return `${environment ? `export * as environment from ${JSON.stringify(environment)};\n` : ""}import { createPageHandler } from ${JSON.stringify(serverRuntime)};
import { assets, build } from ${JSON.stringify(assetsModule)};
${tagsOf(languages)
  .map((lang, index) => `import texts${index} from ${JSON.stringify(textsModule + lang)};\n`)
  .join(
    "",
  )}${matchers ? `import * as matchers from ${JSON.stringify(matchers)};\nexport { matchers };\n` : ""}export { build };
export const table = ${JSON.stringify(table)};
const application = {
  build,
  table,
  assets,
  routes: [${table.routes.map((route) => object({ page: lazy(route.page), server: lazy(route.server) })).join(",\n    ")}],
  folders: [${table.folders.map((folder) => object({ ...folderModules(folder, lazy), server: lazy(folder.server) })).join(",\n    ")}],
  ${actionFiles.length > 0 ? `actionFiles: ${object(Object.fromEntries(actionFiles.map((file) => [JSON.stringify(fileActions(file)), lazyImport(`${root}/src`, file)])))},` : ""}
  ${trailingSlash ? "trailingSlash: true," : ""}
  ${matchers ? "matchers," : ""}
  ${request ? `request: () => import(${JSON.stringify(request)}),` : ""}
  ${schedules ? `schedules: () => import(${JSON.stringify(schedules)}),` : ""}
  ${
    languages
      ? `languages: { table: ${JSON.stringify(languages.table)}, texts: { ${tagsOf(languages)
          .map((lang, index) => `${JSON.stringify(lang)}: texts${index}`)
          .join(", ")} } },`
      : ""
  }
  ${lifecycle ? `lifecycle: () => import(${JSON.stringify(lifecycle)}),` : ""}
};
export const createHandler = (options) => createPageHandler(application, options);
`;
}

/**
 * The entry contains the root layout and the root error page: every page needs the first, and the second must be
 * available when nothing more can be loaded. Everything else is loaded with the first page that needs it.
 */
export function writeBrowserEntry(
  { application: { table, pagesFolder, languages }, browserReports }: Pick<Work, "application" | "browserReports">,
  dev: boolean,
): string {
  const signals = browserReports ? "openSignals(later)" : "silentFirstSignals";
  const root = table.folders[0];
  const early = [root?.layout, root?.error].filter((file) => file !== undefined);
  const lazy = (file: string | undefined) =>
    file !== undefined && early.includes(file)
      ? `() => Promise.resolve({ default: early${early.indexOf(file)} })`
      : lazyImport(pagesFolder, file);
  // React first, so that the remaining code is contiguous: similar code compresses better when it is close.
  return `import "react-dom/client";
import "react/jsx-runtime";
${early.map((file, index) => `import early${index} from ${JSON.stringify(`${pagesFolder}/${file}`)};`).join("\n")}
${browserReports ? `import { ${dev ? "onUncaught, " : ""}openSignals } from ${JSON.stringify(browserReporting)};` : `import { silentFirstSignals } from ${JSON.stringify(browserSilence)};`}
import { startBrowser } from ${JSON.stringify(browserRuntime)};
${dev ? `import { withOverlay } from ${JSON.stringify(browserOverlay)};\n` : ""}const later = () => import(${JSON.stringify(laterModule)});
startBrowser({
  build: ${JSON.stringify(dev ? "dev" : buildIdMark)},
  routes: [${table.routes.map((route) => object({ ...literals(table.at, route), page: lazy(route.page) })).join(",\n    ")}],
  folders: [${table.folders.map((folder) => object(folderModules(folder, lazy))).join(",\n    ")}],
  builtIn: ${hasOwnPages(table) ? `() => import(${JSON.stringify(builtInPage)})` : "later"},
  ${
    languages
      ? `texts: { ${tagsOf(languages)
          .map((lang) => `${JSON.stringify(lang)}: () => import(${JSON.stringify(textsModule + lang)})`)
          .join(", ")} },`
      : ""
  }
}, ${dev ? `withOverlay(${signals}${browserReports ? ", onUncaught" : ""})` : signals}, later);
`;
}

/** Whether the framework itself has its texts in a language. */
export function hasTexts(lang: string): boolean {
  return /^(?:en|de)\b/.test(lang);
}

/** The texts of the framework in one language: those of the configuration, or its own, or else English. */
export function writeTexts({ languages }: ApplicationFiles, lang: string): string {
  const given = languages?.texts[lang];
  if (given) return `export default ${JSON.stringify(given)};\n`;
  if (/^de\b/.test(lang)) return `export { german as default } from ${JSON.stringify(germanTexts)};\n`;
  // As a module of its own: the one that code imports has all its texts in the entry as soon as one asks for all. By
  // name: for `* as` the bundler makes a file of its own, which browsers request only once they have this one.
  const names = englishNames().join(", ");
  return `import { ${names} } from ${JSON.stringify(`${englishTexts}?all`)};\nexport default { ${names} };\n`;
}

function englishNames(): string[] {
  return [...readFileSync(englishTexts, "utf8").matchAll(/^export const (\w+) =/gm)].map(([, name = ""]) => name);
}

function tagsOf(languages: ApplicationFiles["languages"]): string[] {
  return languages?.table.list.map(({ lang }) => lang) ?? [];
}

/** Whether the root folder has a page for errors and one for addresses without a page. */
function hasOwnPages({ folders: [root] }: ApplicationFiles["table"]): boolean {
  return root?.error !== undefined && root.notFound !== undefined;
}

export function writeLater({ browserReports, application }: Pick<Work, "browserReports" | "application">): string {
  const files = browserReports ? [browserRuntimeLater, browserReportingLater] : [browserRuntimeLater];
  const importFrom = "export const importFrom = (url) => import(/* @vite-ignore */ url);\n";
  const builtIn = hasOwnPages(application.table) ? "" : `export { BuiltInPage } from ${JSON.stringify(builtInPage)};\n`;
  const { matchers } = application;
  const own = matchers ? `export * as matchers from ${JSON.stringify(matchers)};\n` : "";
  return importFrom + builtIn + own + files.map((file) => `export * from ${JSON.stringify(file)};\n`).join("");
}

export function writeDevEntry(): string {
  return `import ${JSON.stringify(styleNonceModule)};
import ${JSON.stringify(devMain)};
`;
}

export function writeDevMain(): string {
  return `import "/@vite/client";
import ${JSON.stringify(refreshModule)};
import { openOverlay, reportThrown } from ${JSON.stringify(browserOverlay)};
import { forgetStyleNonce } from ${JSON.stringify(styleNonceModule)};
forgetStyleNonce();
openOverlay(import.meta.hot);
import(${JSON.stringify(browserEntry)}).catch((error) => reportThrown(error));
`;
}

/**
 * Vite's client reads the nonce of its styles from this element when it loads. It is removed before the application
 * runs: a library that finds it would be styled in development and unstyled in production, where there is none.
 */
export function writeStyleNonce(nonce: string | undefined): string {
  return `const meta = document.createElement("meta");
meta.setAttribute("property", "csp-nonce");
meta.nonce = ${JSON.stringify(nonce ?? "")};
document.head.append(meta);
export const forgetStyleNonce = () => meta.remove();
`;
}

export const refreshCode = `import { injectIntoGlobalHook } from "/@react-refresh";
injectIntoGlobalHook(window);
window.$RefreshReg$ = () => {};
window.$RefreshSig$ = () => (type) => type;
`;

type WriteLazy = (file: string | undefined) => string | undefined;

function folderModules(
  { id, layout, error, notFound, loading, server }: FolderEntry,
  lazy: WriteLazy,
): Record<string, string | undefined> {
  return {
    layout: lazy(layout),
    error: lazy(error),
    notFound: lazy(notFound),
    loading: lazy(loading),
    actions: layout && server && JSON.stringify(layoutActions(id)),
  };
}

function lazyImport(pagesFolder: string, file: string | undefined): string | undefined {
  return file === undefined ? undefined : `() => import(${JSON.stringify(`${pagesFolder}/${file}`)})`;
}

function object(fields: Record<string, string | undefined>): string {
  const written = Object.entries(fields).filter(([, code]) => code !== undefined);
  return `{ ${written.map(([name, code]) => `${name}: ${code}`).join(", ")} }`;
}

/** The browser needs no source file names, and reads the segments of a route's addresses from its id. */
function literals(at: string, { id, folders }: RouteEntry): Record<string, string> {
  return { id: JSON.stringify(addressBelow(at, id)), folders: JSON.stringify(folders) };
}
