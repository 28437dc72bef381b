import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { FolderEntry, RouteEntry } from "#routes";
import { type ApplicationFiles, readApplication } from "./application-files.ts";

/**
 * Where the declarations go: a folder that the starter's tsconfig includes beside `src` and that git ignores. Not in
 * `src`, where a generated file would lie among those that people write and change with every branch.
 */
export const typesFile = ".holdfast/types/routes.d.ts";

/**
 * Writes the declarations of an application's routes: one plain file, without paths to configure or a plugin for the
 * editor.
 */
export async function generateTypes({ root, at }: { root: string; at?: string }): Promise<void> {
  await writeTypes(await readApplication(root, at));
}

/** An unchanged file is left alone, so that editors and watchers stay quiet. */
export async function writeTypes(application: ApplicationFiles): Promise<void> {
  const file = join(application.root, typesFile);
  const text = describeRoutes(application);
  await ignoreOwnFolder(application.root);
  if ((await readFile(file, "utf8").catch(() => null)) === text) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/**
 * The folder says itself that nothing in it belongs to the sources: it has what visitors sent, too. Git goes by it, and
 * so does a plugin that looks for names of styles in all files, wherever the application's own `.gitignore` lies.
 */
async function ignoreOwnFolder(root: string): Promise<void> {
  const file = join(root, ".holdfast/.gitignore");
  if (existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "*\n");
}

export function describeRoutes({ root, pagesFolder, table, request }: ApplicationFiles): string {
  const module = (file: string | undefined, folder = pagesFolder) =>
    file === undefined ? "null" : `typeof import(${JSON.stringify(importPath(root, posix.join(folder, file)))})`;
  const entry = ({ id, server }: RouteEntry | FolderEntry) => `      ${JSON.stringify(id)}: ${module(server)};`;
  return `// Written by Holdfast from the files under src/pages; "holdfast types" writes it anew.
import type * as Holdfast from "holdfast";
import type { ReactNode } from "react";

declare global {
  interface HoldfastApplication {
    pages: {
${table.routes
  .filter((route) => route.kind === "page")
  .map(entry)
  .join("\n")}
    };
    folders: {
${table.folders.map(entry).join("\n")}
    };${request === undefined ? "" : `\n    locals: Awaited<ReturnType<${module(request, "")}["default"]>>;`}
  }

  /** What the page of a route gets. */
  interface PageProps<Id extends Holdfast.PageId> {
    data: Holdfast.PageData<Id>;
    params: Holdfast.RouteParams<Id>;
    actions: Holdfast.PageActions<Id>;
  }

  /** What the layout of a folder gets. */
  interface LayoutProps<Id extends Holdfast.FolderId> {
    data: Holdfast.LayoutData<Id>;
    params: Holdfast.RouteParams<Id>;
    children: ReactNode;
  }

  /** What an \`_error\` file gets. */
  type ErrorProps = Holdfast.ErrorProps;
}
`;
}

/** With the ending `.js`, which every resolution of TypeScript leads to the source beside it. */
function importPath(root: string, file: string): string {
  return posix.relative(posix.join(root, posix.dirname(typesFile)), file).replace(/\.[jt]sx?$/, ".js");
}
