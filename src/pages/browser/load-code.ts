import type { BrowserParts, FolderModules, Lazy } from "../parts.ts";
import type { FolderFiles, ViewModules } from "../react/page-tree.tsx";
import type { View } from "../view.ts";
import { builtInLater } from "./built-in-later.tsx";
import { errorLater } from "./error-later.tsx";
import type { Import } from "./navigation/import-again.ts";

/** Loads the code of views once and keeps it available synchronously. */
export interface CodeLoader {
  /** Loads the code of the route's page; nothing if there is no such route. */
  route(index: number): Promise<void>;
  view(view: View): Promise<void>;
  /** The modules that `view` has loaded. Call it only after that. */
  modules(view: View): ViewModules;
  routes: BrowserParts["routes"];
  /** The tab replaces it by one that can import a module after a failure. */
  import: Import;
}

export function createCodeLoader<Later>(
  parts: BrowserParts,
  later: Lazy<Later>,
): CodeLoader & { later(): Promise<Later> } {
  const loaded = new Map<Lazy<unknown>, unknown>();
  const fetchOne = async (lazy: Lazy<unknown> | undefined): Promise<void> => {
    if (lazy && !loaded.has(lazy)) loaded.set(lazy, await loader.import(lazy));
  };
  const fetchAll = async (all: readonly (Lazy<unknown> | undefined)[]): Promise<void> => {
    await Promise.all(all.map(fetchOne));
  };
  const at = <Module>(lazy: Lazy<Module> | undefined): Module | undefined =>
    lazy ? (loaded.get(lazy) as Module | undefined) : undefined;

  const filesOf = (folder: FolderModules | undefined): FolderFiles => ({
    layout: at(folder?.layout),
    loading: at(folder?.loading),
    notFound: at(folder?.notFound),
    actions: folder?.actions,
    // An `_error` file is rarely needed, so it is loaded on demand and adds nothing to the first load.
    error: at(folder?.error) ?? (folder?.error && errorLater(folder.error)),
  });

  const builtIn = builtInLater(parts.builtIn, () => at(parts.builtIn));

  const loader: ReturnType<typeof createCodeLoader<Later>> = {
    route: (index) => fetchAll([...enclosing(parts, parts.routes[index]?.folders ?? []), parts.routes[index]?.page]),
    view(view) {
      if (view.kind === "page") return this.route(view.route);
      const own = parts.folders[view.folders[view.boundary] ?? -1];
      const shown = view.kind === "error" ? own?.error : own?.notFound;
      return fetchAll([...enclosing(parts, view.folders.slice(0, view.boundary + 1)), shown ?? parts.builtIn]);
    },
    modules: (view) => ({
      folders: view.folders.map((index) => filesOf(parts.folders[index])),
      page: at(parts.routes[view.route]?.page),
      builtIn,
    }),
    routes: parts.routes,
    import: (load) => load(),
    later: async () => {
      await fetchOne(later);
      return loaded.get(later) as Later;
    },
  };
  return loader;
}

function enclosing(parts: BrowserParts, folders: readonly number[]): (Lazy<unknown> | undefined)[] {
  return folders.flatMap((index) => [parts.folders[index]?.layout, parts.folders[index]?.loading]);
}
