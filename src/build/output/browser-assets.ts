import { type ApplicationFiles, slashed } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { browserRare, builtInPage, isOwnFile } from "../own-package.ts";
import { browserEntry, textsModule } from "../virtual-modules.ts";
import type { Output } from "./finish-chunks.ts";

/** Addresses that a first load needs. The same shape as `Assets` of pages, which the server reads. */
export interface BrowserAssets {
  entry: string;
  entryImports: string[];
  styles: string[];
  routes: { modules: string[]; styles: string[] }[];
  folders: { modules: string[]; styles: string[] }[];
  texts?: Record<string, string>;
  prefix?: string;
}

/** The same files at another origin, for the documents that name them. */
export function assetsBelow(prefix: string, assets: BrowserAssets): BrowserAssets {
  const all = (files: readonly string[]): string[] => files.map((file) => prefix + file);
  const needed = (list: BrowserAssets["routes"]): BrowserAssets["routes"] =>
    list.map(({ modules, styles }) => ({ modules: all(modules), styles: all(styles) }));
  const { entry, entryImports, styles, routes, folders, texts } = assets;
  return {
    prefix,
    entry: prefix + entry,
    entryImports: all(entryImports),
    styles: all(styles),
    routes: needed(routes),
    folders: needed(folders),
    ...(texts && { texts: Object.fromEntries(Object.entries(texts).map(([lang, file]) => [lang, prefix + file])) }),
  };
}

/** Browser build, as the server build uses it. */
export interface BrowserBuild {
  /** Identifies the browser's files; equal sources give equal ids. A tab with another id runs different code. */
  build: string;
  assets: BrowserAssets;
  /** Framework files that every page loads after hydration, by bundle name and address. */
  later: LaterFile[];
  /** Bundled files, in contrast to files copied from `public`: their names contain a content hash. */
  hashed: ReadonlySet<string>;
}

export interface LaterFile {
  name: string;
  path: string;
}

/**
 * Finds the framework's files that the entry imports after hydration. They appear in no source file of the application,
 * but every visitor fetches them.
 */
export function readLaterFiles(output: Output): LaterFile[] {
  const chunks = new Map(output.filter((file) => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const entries = [...chunks.values()].filter((chunk) => chunk.isEntry);
  const early = new Set(entries.flatMap((entry) => [entry.fileName, ...entry.imports]));
  const found = new Map<string, LaterFile>();
  const rare = new Set<string | null>(browserRare.map(slashed));
  /** What these files import when it is wanted belongs to every page only one step further: few forms are uploads. */
  const follow = (fileNames: readonly string[], isWanted: boolean): void => {
    for (const fileName of fileNames) {
      const chunk = chunks.get(fileName);
      if (!chunk || early.has(fileName) || found.has(fileName) || rare.has(chunk.facadeModuleId)) continue;
      found.set(fileName, { name: chunk.name, path: address(fileName) });
      follow(chunk.imports, isWanted);
      if (!isWanted) follow(chunk.dynamicImports, true);
    }
  };
  // A page loads the texts of its language only, with its own code, and the built-in page only to show it.
  const isOwn = (fileName: string): boolean => {
    const id = chunks.get(fileName)?.facadeModuleId;
    return isOwnModule(id) && id !== slashed(builtInPage) && !id?.startsWith(`\0${textsModule}`);
  };
  const dynamic = entries.flatMap((entry) => entry.dynamicImports.filter(isOwn));
  follow(dynamic, false);
  return [...found.values()];
}

function isOwnModule(id: string | null | undefined): boolean {
  return id !== null && id !== undefined && (id.startsWith("\0virtual:holdfast/") || isOwnFile(id));
}

/** Reads from the browser's bundle which files each route and each folder needs. */
export function readBrowserAssets({ table, pagesFolder, languages }: ApplicationFiles, output: Output): BrowserAssets {
  const chunks = new Map(output.filter((file) => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const chunkOfModule = new Map(
    [...chunks.values()].flatMap((chunk) => chunk.moduleIds.map((id) => [id, chunk] as const)),
  );
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
  if (!entry) throw buildErrors.pageOutsideOutput(browserEntry);

  const withImports = (fileNames: readonly string[], into = new Set<string>()): Set<string> => {
    for (const fileName of fileNames) {
      const chunk = chunks.get(fileName);
      if (!chunk || into.has(fileName)) continue;
      into.add(fileName);
      withImports(chunk.imports, into);
    }
    return into;
  };
  const stylesOf = (fileNames: Iterable<string>): string[] =>
    [
      ...new Set([...fileNames].flatMap((fileName) => [...(chunks.get(fileName)?.viteMetadata?.importedCss ?? [])])),
    ].map(address);

  const always = withImports([entry.fileName]);
  const alwaysStyles = [...new Set([...stylesOf(always), ...applicationStyles(output)])];
  const needsOf = (files: readonly (string | undefined)[]) => {
    const modules = withImports(
      files
        .filter((file) => file !== undefined)
        .map((file) => {
          const chunk = chunkOfModule.get(`${pagesFolder}/${file}`);
          if (!chunk) throw buildErrors.pageOutsideOutput(file);
          return chunk.fileName;
        }),
    );
    for (const file of always) modules.delete(file);
    return {
      modules: [...modules].map(address),
      styles: stylesOf(modules).filter((style) => !alwaysStyles.includes(style)),
    };
  };

  return {
    entry: address(entry.fileName),
    entryImports: [...always].filter((file) => file !== entry.fileName).map(address),
    styles: alwaysStyles,
    routes: table.routes.map((route) =>
      needsOf(
        route.kind === "api"
          ? []
          : [
              ...route.folders.flatMap((index) => [table.folders[index]?.layout, table.folders[index]?.loading]),
              route.page,
            ],
      ),
    ),
    folders: table.folders.map((folder) => needsOf([folder.layout, folder.error, folder.notFound])),
    ...(languages && { texts: textsOf(languages.table.list, chunks.values()) }),
  };
}

/** The module with the texts of each language, by its address. */
function textsOf(
  list: readonly { lang: string }[],
  chunks: Iterable<{ facadeModuleId: string | null; fileName: string }>,
): Record<string, string> {
  const files = new Map([...chunks].map(({ facadeModuleId, fileName }) => [facadeModuleId, fileName]));
  return Object.fromEntries(
    list.flatMap(({ lang }) => {
      const file = files.get(`\0${textsModule}${lang}`);
      return file === undefined ? [] : [[lang, address(file)]];
    }),
  );
}

/** With one stylesheet for the whole application, no chunk references it: it belongs to every page. */
function applicationStyles(output: Output): string[] {
  const claimed = new Set(
    output.flatMap((file) => (file.type === "chunk" ? [...(file.viteMetadata?.importedCss ?? [])] : [])),
  );
  return output
    .filter((file) => file.type === "asset" && file.fileName.endsWith(".css") && !claimed.has(file.fileName))
    .map((file) => address(file.fileName));
}

function address(fileName: string): string {
  return `/${fileName}`;
}
