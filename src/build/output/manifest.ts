import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "#errors";
import { addressBelow, type PageBudget, type RouteTable, writePathSegment } from "#routes";
import { buildErrors } from "../errors.ts";
import type { DeclaredBudgets } from "../page-budgets.ts";
import type { BrowserBuild } from "./browser-assets.ts";
import { encodingEndings, type FileEncoding, type ServedFile } from "./compress-files.ts";
import { contentType } from "./content-types.ts";
import { manifestName, type OutputFolders } from "./output-folders.ts";

/** `manifest.json`: everything a server must know about a build without reading its folders. */
export interface BuildManifest {
  build: string;
  /** Address of the CDN that the files name. */
  assets?: string;
  files: ManifestFile[];
  routes: ManifestRoute[];
  /** Framework files that every page loads after hydration, with their gzip size on the wire. */
  later: { name: string; bytes: number }[];
  /**
   * Earlier builds whose browser files are kept, newest first: a tab that was open during a deploy continues to work.
   */
  earlier: { build: string; files: ManifestFile[] }[];
  /**
   * Server chunks that are loaded with the first request of a page, relative to the manifest's folder: those of this
   * build, then of earlier ones. A server that started before a deploy continues to work, too.
   */
  chunks: string[][];
}

export interface ManifestFile {
  /** The canonical address, `/_assets/entry-Bll2g0jF.js`. */
  path: string;
  /** Relative to the manifest's folder. */
  file: string;
  bytes: number;
  type: string;
  /** Precompressed encodings, smallest first; their files end in `.br`, `.gz`, `.zst`. */
  encodings: FileEncoding[];
  /** Whether the name contains a content hash, so that the file can be cached forever. */
  immutable: boolean;
  /** Hash of the content, if the name contains none. */
  hash?: string;
}

export interface ManifestRoute {
  id: string;
  kind: "page" | "api";
  /** Gzip bytes on the wire: the page's addition to the entry, and the total of a first load without the document. */
  pageBytes: number;
  firstLoadBytes: number;
  /** Declared by the page. */
  budget?: PageBudget;
}

/** Visitors rarely keep a tab open over more deploys than this. */
const buildsKept = 3;

export interface ManifestParts {
  table: RouteTable;
  assets: string | undefined;
  browser: BrowserBuild;
  served: readonly ServedFile[];
  budgets: DeclaredBudgets;
}

export async function writeManifest(
  folders: OutputFolders,
  { table, assets, browser, served, budgets }: ManifestParts,
): Promise<BuildManifest> {
  const files = served.map((one) => describeFile(one, browser.hashed));
  refuseHiddenRoutes(table, files);
  const last = await readManifest(folders.final);
  const manifest = {
    build: browser.build,
    ...(assets !== undefined && { assets }),
    files,
    ...weigh(table, browser, served, budgets),
    earlier: last ? await keepEarlier(last, folders, browser.build, files) : [],
    chunks: await keepChunks(last, folders),
  };
  await writeFile(folders.manifest, `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}

export async function readManifest(folder: string): Promise<BuildManifest | null> {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** The encodings of a file, smallest first. */
export function encodingsOf({ encoded }: Pick<ServedFile, "encoded">): FileEncoding[] {
  return (Object.keys(encodingEndings) as FileEncoding[])
    .filter((encoding) => encoded[encoding] !== undefined)
    .sort((a, b) => (encoded[a] ?? 0) - (encoded[b] ?? 0));
}

function describeFile(served: ServedFile, hashed: ReadonlySet<string>): ManifestFile {
  const { file, bytes, hash } = served;
  const encodings = encodingsOf(served);
  return {
    path: pathOf(file),
    file: `browser/${file}`,
    bytes,
    type: contentType(file),
    encodings,
    ...(hashed.has(file) ? { immutable: true } : { immutable: false, hash }),
  };
}

function pathOf(file: string): string {
  return `/${file.split("/").map(writePathSegment).join("/")}`;
}

/** A file would silently hide a route, so they may not have the same address. */
function refuseHiddenRoutes(table: RouteTable, files: readonly ManifestFile[]): void {
  const paths = new Map(files.map((file) => [file.path, file.file]));
  for (const route of table.routes) {
    const file = paths.get(pathOf(addressBelow(table.at, route.id).slice(1)));
    if (file)
      throw buildErrors.publicFileHidesRoute(
        route.id,
        file.replace(/^browser/, "public"),
        route.page ?? route.server ?? route.id,
      );
  }
}

function weigh(
  table: RouteTable,
  { assets, later }: BrowserBuild,
  served: readonly ServedFile[],
  budgets: DeclaredBudgets,
): Pick<BuildManifest, "routes" | "later"> {
  const weights = new Map(served.map(({ file, bytes, encoded }) => [pathOf(file), encoded.gzip ?? bytes]));
  const sum = (paths: readonly string[]): number => paths.reduce((total, path) => total + (weights.get(path) ?? 0), 0);
  const always = sum([assets.entry, ...assets.entryImports, ...assets.styles, ...later.map(({ path }) => path)]);
  const routes = table.routes.map(({ id, kind }, index) => {
    const { modules = [], styles = [] } = assets.routes[index] ?? {};
    const pageBytes = sum([...modules, ...styles]);
    const budget = budgets.get(id);
    const firstLoadBytes = kind === "api" ? 0 : always + pageBytes;
    return { id, kind, pageBytes, firstLoadBytes, ...(budget && { budget }) };
  });
  return { routes, later: later.map(({ name, path }) => ({ name, bytes: sum([path]) })) };
}

/** Keeps the hashed files of earlier builds that this one does not have. */
async function keepEarlier(
  last: BuildManifest,
  folders: OutputFolders,
  build: string,
  files: readonly ManifestFile[],
): Promise<BuildManifest["earlier"]> {
  const known = new Set(files.map((file) => file.path));
  const earlier = [{ build: last.build, files: last.files }, ...last.earlier]
    .filter((one) => one.build !== build)
    .slice(0, buildsKept - 1)
    .map((one) => ({ build: one.build, files: one.files.filter((file) => file.immutable && !known.has(file.path)) }));
  for (const { file, encodings } of earlier.flatMap((one) => one.files))
    for (const ending of ["", ...encodings.map((encoding) => encodingEndings[encoding])])
      await takeOver(folders, file + ending);
  return earlier;
}

/** Includes the source maps beside them. A build whose chunks are all in this one gets no entry. */
async function keepChunks(last: BuildManifest | null, folders: OutputFolders): Promise<string[][]> {
  const folder = join(folders.server, "chunks");
  const current = existsSync(folder) ? (await readdir(folder)).map((name) => `server/chunks/${name}`) : [];
  const known = new Set(current);
  // Manifests of older versions have no chunks.
  const earlier = (last?.chunks ?? [])
    .map((chunks) => chunks.filter((chunk) => !known.has(chunk)))
    .filter((chunks) => chunks.length > 0)
    .slice(0, buildsKept - 1);
  for (const chunk of new Set(earlier.flat())) await takeOver(folders, chunk);
  return [current, ...earlier];
}

async function takeOver({ final, growing }: OutputFolders, file: string): Promise<void> {
  await mkdir(dirname(join(growing, file)), { recursive: true });
  await copyFile(join(final, file), join(growing, file));
}
