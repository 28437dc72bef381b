import type { ApplicationFiles } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { isOwnFile } from "../own-package.ts";
import { browserEntry } from "../virtual-modules.ts";
import type { Output } from "./finish-chunks.ts";

/** Addresses that a first load needs. The same shape as `Assets` of pages, which the server reads. */
export interface BrowserAssets {
  entry: string;
  entryImports: string[];
  styles: string[];
  routes: { modules: string[]; styles: string[] }[];
  folders: { modules: string[]; styles: string[] }[];
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
  const follow = (fileNames: readonly string[]): void => {
    for (const fileName of fileNames) {
      const chunk = chunks.get(fileName);
      if (!chunk || early.has(fileName) || found.has(fileName)) continue;
      found.set(fileName, { name: chunk.name, path: address(fileName) });
      follow([...chunk.imports, ...chunk.dynamicImports]);
    }
  };
  const isOwn = (fileName: string): boolean => isOwnModule(chunks.get(fileName)?.facadeModuleId);
  follow(entries.flatMap((entry) => entry.dynamicImports.filter(isOwn)));
  return [...found.values()];
}

function isOwnModule(id: string | null | undefined): boolean {
  return id !== null && id !== undefined && (id.startsWith("\0virtual:holdfast/") || isOwnFile(id));
}

/** Reads from the browser's bundle which files each route and each folder needs. */
export function readBrowserAssets({ table, pagesFolder }: ApplicationFiles, output: Output): BrowserAssets {
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
  };
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
