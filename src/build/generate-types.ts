import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { FolderEntry, RouteEntry } from "#routes";
import { type ApplicationFiles, readApplication } from "./application-files.ts";
import { fileTypes, fileTypesFile } from "./file-types.ts";

/**
 * Path of the declarations: the starter's tsconfig includes this folder, and git ignores it. Not in `src`, where a
 * generated file would lie among the source files and change with every branch.
 */
export const typesFile = ".holdfast/types/routes.d.ts";

/** Writes the declarations of an application's routes: one plain file, without configuration or an editor plugin. */
export async function generateTypes({ root, at }: { root: string; at?: string }): Promise<void> {
  await writeTypes(await readApplication(root, at));
}

/** Leaves unchanged files alone, so that editors and watchers do not react. */
export async function writeTypes(application: ApplicationFiles): Promise<void> {
  await ignoreOwnFolder(application.root);
  await writeChanged(join(application.root, typesFile), describeRoutes(application));
  await writeChanged(join(application.root, fileTypesFile), fileTypes);
}

async function writeChanged(file: string, text: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => null)) === text) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/**
 * The folder ignores itself, because it also stores visitors' data. Git and plugins that scan all files for style names
 * respect it, wherever the application's own `.gitignore` lies.
 */
async function ignoreOwnFolder(root: string): Promise<void> {
  const file = join(root, ".holdfast/.gitignore");
  if (existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "*\n");
}

export function describeRoutes({ root, pagesFolder, table, request, languages }: ApplicationFiles): string {
  const module = (file: string | undefined, folder = pagesFolder) =>
    file === undefined ? "null" : `typeof import(${JSON.stringify(importPath(root, posix.join(folder, file)))})`;
  const entry = ({ id, server }: RouteEntry | FolderEntry) => `      ${JSON.stringify(id)}: ${module(server)};`;
  const routes = (kind: RouteEntry["kind"]) => table.routes.filter((route) => route.kind === kind);
  return `// Written by Holdfast from the files under src/pages; "holdfast types" writes it again.
import type * as Holdfast from "holdfast";
import type { ReactNode } from "react";

declare global {
  interface HoldfastApplication {
    pages: {
${routes("page").map(entry).join("\n")}
    };
    apis: {
${routes("api").map(entry).join("\n")}
    };
    folders: {
${table.folders.map(entry).join("\n")}
    };
${describeParams([...table.routes, ...table.folders].map(({ id }) => id))}${request === undefined ? "" : `\n    locals: Awaited<ReturnType<${module(request, "")}["default"]>>;`}${languages ? `\n    languages: ${languages.table.list.map(({ lang }) => JSON.stringify(lang)).join(" | ")};` : ""}
  }

  /** Props of a page. One whose server half exports a schema as \`search\` also has \`search\`. */
  type PageProps<Id extends Holdfast.PageId> = {
    data: Holdfast.PageData<Id>;
    params: Holdfast.PageParams<Id>;
    actions: Holdfast.PageActions<Id>;
  } & Holdfast.SearchProps<Id>;

  /** Props of a layout. */
  interface LayoutProps<Id extends Holdfast.FolderId> {
    data: Holdfast.LayoutData<Id>;
    params: Holdfast.RouteParams<Id>;
    actions: Holdfast.LayoutActions<Id>;
    children: ReactNode;
  }

  /** Props of an \`_error\` file. */
  type ErrorProps = Holdfast.ErrorProps;
}
`;
}

/** The names of parameters by id, so that the compiler need not take each id apart: it did so for every link. */
function describeParams(ids: readonly string[]): string {
  const named = [...new Set(ids)].map((id) => ({ id, names: [...id.matchAll(/\[(\[)?(?:\.\.\.)?([^\]=]+)/g)] }));
  const list = (isOptional: boolean) =>
    named.flatMap(({ id, names }) => {
      const texts = names.filter(([, mark]) => (mark !== undefined) === isOptional).map(([, , name]) => `"${name}"`);
      return texts.length > 0 ? [`      ${JSON.stringify(id)}: ${texts.join(" | ")};`] : [];
    });
  return `    params: {\n${list(false).join("\n")}\n    };\n    optionalParams: {\n${list(true).join("\n")}\n    };`;
}

/** Uses the extension `.js`, which every module resolution of TypeScript maps to the source beside it. */
function importPath(root: string, file: string): string {
  return posix.relative(posix.join(root, posix.dirname(typesFile)), file).replace(/\.[jt]sx?$/, ".js");
}
