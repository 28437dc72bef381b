import { fileURLToPath } from "node:url";

/**
 * Location of this package. Applications are built against the copy that builds them, never against a second one that a
 * resolver might find: page, server and reporter must be one instance.
 */
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** True if the package runs from its TypeScript source, as in its own repository. */
export const runsFromSource: boolean = extension === ".ts";

/** Parts import each other as `#part`; from source this needs the condition. */
export const sourceCondition = "holdfast-source";

export const serverRuntime: string = ownModule("pages/server/index");
export const browserRuntime: string = ownModule("pages/browser/index");
/** Code that loads after hydration. */
export const browserRuntimeLater: string = ownModule("pages/browser/later");
export const browserReportingLater: string = ownModule("reporting/browser/later");
/** Loads with that code, or only to be shown if the application has its own pages. */
export const builtInPage: string = ownModule("pages/browser/built-in-page");
/**
 * Loads where an earlier visit has left something, and with pages whose actions have `keeps`; with pages that have a
 * fetcher; with pages that have a link to a dialog or with a view transition; and with loads that have tags.
 */
export const browserRare: readonly string[] = [
  "pages/browser/return/returns",
  "pages/browser/data/data-reader",
  "pages/browser/presentation/presentation",
  "pages/browser/data/shown-loads",
].map(ownModule);
export const browserOverlay: string = ownModule("pages/browser/dev/overlay");
/** The module that removes secrets in the browser, and what the build of a folder of files writes in its place. */
export const cleanItemsModule: string = ownModule("reporting/browser/clean-items");
export const cleanItemsHereModule: string = ownModule("reporting/browser/clean-items-here");
export const browserReporting: string = ownModule("reporting/browser/index");
/** Replaces reporting in applications whose browsers report nothing. */
export const browserSilence: string = ownModule("signals/index");
/** The browser's version of `holdfast/report`. */
export const browserReportEntry: string = ownModule("reporting/browser/browser-report-api");

/** The module that says below which path the application lives. */
export const applicationPathModule: string = ownModule("routes/application-path");

/** The module that says how addresses end, and what the build writes in its place. */
export const applicationSlashesModule: string = ownModule("routes/application-slashes");
export const trailingSlashModule: string = ownModule("routes/trailing-slash");
/** The module that says how searches with a schema are written, and what the build writes in its place. */
export const applicationSearchModule: string = ownModule("routes/application-search");
export const writeSearchModule: string = ownModule("routes/write-search");
/** The module that names the languages of the application. */
export const applicationLanguagesModule: string = ownModule("routes/application-languages");
export const languageAddressesModule: string = ownModule("routes/language-addresses");

/** What few pages use, although every page may import it by `holdfast`. */
export const pagesOwnModules: readonly string[] = [
  "pages/react/actions-of",
  "pages/react/image",
  "pages/react/use-actions",
  "pages/react/use-socket",
  "pages/react/socket-link",
  "pages/react/use-search",
  "pages/react/search-changes",
  "pages/react/use-fetcher",
  "pages/react/use-data-fetcher",
  "pages/react/data-fetches",
  "pages/react/use-search-link",
  "pages/react/use-pagination",
  "pages/react/use-sorting",
  "pages/react/use-infinite-list",
  "pages/react/list-pages",
  "pages/react/use-optimistic",
  "pages/react/use-revalidate",
].map(ownModule);

export const applicationStaticModule: string = ownModule("routes/application-static");

/** Texts of the framework, in the languages that it has by itself. */
export const englishTexts: string = ownModule("pages/texts/english");
export const germanTexts: string = ownModule("pages/texts/german");

/** Maps public entry points to their modules. */
export const entryPoints: ReadonlyMap<string, string> = new Map(
  ["index", "server", "vite", "report", "service", "protocol", "testing"].map((name) => [
    name === "index" ? "holdfast" : `holdfast/${name}`,
    ownModule(`exports/${name}`),
  ]),
);

/** Entry points that the host shares with the application: bundled, they would be a second instance. */
export const hostEntryPoints: ReadonlySet<string> = new Set([
  "holdfast/report",
  "holdfast/service",
  "holdfast/vite",
  "holdfast/testing",
]);

const ownFolder = fileURLToPath(new URL("..", import.meta.url)).replaceAll("\\", "/");

/** Whether a file belongs to the framework, which the rules for applications exempt. */
export function isOwnFile(file: string): boolean {
  return file.replaceAll("\\", "/").startsWith(ownFolder);
}

function ownModule(path: string): string {
  return fileURLToPath(new URL(`../${path}${extension}`, import.meta.url));
}

/**
 * Names a framework file in source maps as if it were installed, so that its frames do not count as the application's.
 */
export function ownSourceName(file: string): string | undefined {
  if (!isOwnFile(file)) return undefined;
  const folder = runsFromSource ? "src" : "dist";
  return `node_modules/holdfast/${folder}/${file.replaceAll("\\", "/").slice(ownFolder.length)}`;
}
