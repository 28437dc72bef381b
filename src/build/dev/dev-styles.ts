import { type EnvironmentModuleNode, isCSSRequest, type RunnableDevEnvironment } from "vite";
import { acceptBy, createMatcher, type ParamMatchers, type RouteMatch, type RouteTable } from "#routes";
import type { BrowserAssets } from "../output/browser-assets.ts";
import { assetsModule, serverEntry } from "../virtual-modules.ts";

/** While files change at each of so many looks, the next request finds the styles. */
const looks = 5;

/**
 * Adds the styles of the page at this path to its assets, so that the first document has them: without a bundle, only
 * the modules show which styles they import.
 */
export async function prepareStyles(ssr: RunnableDevEnvironment, pagesFolder: string, pathname: string): Promise<void> {
  for (let look = 0; look < looks; look++) {
    const entry = await ssr.runner.import<ServerEntry>(serverEntry);
    await addStyles(ssr, { entry, pagesFolder, pathname });
    // A file that has changed meanwhile makes other assets, and the page is rendered with those.
    if ((await ssr.runner.import(serverEntry)) === entry) return;
  }
}

async function addStyles(
  ssr: RunnableDevEnvironment,
  { entry, pagesFolder, pathname }: { entry: ServerEntry; pagesFolder: string; pathname: string },
): Promise<void> {
  const { table, matchers } = entry;
  const { assets } = await ssr.runner.import<{ assets: BrowserAssets }>(assetsModule);
  const found = (files: readonly (string | undefined)[]): Promise<string[]> =>
    findStyles(
      ssr,
      files.filter((file) => file !== undefined).map((file) => `${pagesFolder}/${file}`),
    );

  const match = matchPath(table, matchers, pathname);
  const route = match.kind === "found" ? table.routes[match.index] : undefined;
  // The root's own files render an address without a page.
  const folders = route?.folders ?? [0];
  for (const index of folders) {
    const { layout, error, notFound } = table.folders[index] ?? {};
    const needs = assets.folders[index];
    if (needs) needs.styles = await found([layout, error, notFound]);
  }
  const needs = match.kind === "found" ? assets.routes[match.index] : undefined;
  if (!needs) return;
  const enclosing = folders.flatMap((index) => [table.folders[index]?.layout, table.folders[index]?.loading]);
  needs.styles = await found([...enclosing, route?.page]);
}

interface ServerEntry {
  table: RouteTable;
  matchers?: ParamMatchers;
}

function matchPath(table: RouteTable, matchers: ParamMatchers | undefined, pathname: string): RouteMatch {
  try {
    return createMatcher(table, acceptBy(matchers))(pathname);
  } catch {
    // A matcher failed. The request itself shows and reports it.
    return { kind: "not-found" };
  }
}

/** Finds the styles that these modules import, in import order. */
async function findStyles(ssr: RunnableDevEnvironment, files: readonly string[]): Promise<string[]> {
  const styles = new Set<string>();
  const seen = new Set<EnvironmentModuleNode>();
  const visit = (module: EnvironmentModuleNode): void => {
    if (seen.has(module)) return;
    seen.add(module);
    // A stylesheet already contains its imports. Other files that its plugin watches, as Tailwind does with all
    // sources, are no styles.
    if (isCSSRequest(module.url)) return void styles.add(module.url);
    for (const imported of module.importedModules) visit(imported);
  };
  for (const file of files) {
    // Running a module reveals its imports; the page is about to run in any case.
    await ssr.runner.import(file);
    const module = await ssr.moduleGraph.getModuleByUrl(file);
    if (module) visit(module);
  }
  return [...styles];
}
