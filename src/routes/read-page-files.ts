import { fileActions } from "./action-names.ts";
import { routeErrors } from "./errors.ts";
import {
  type FolderEntry,
  fixedPaths,
  orderOf,
  type PathSegment,
  type RouteEntry,
  type RouteTable,
} from "./route-table.ts";

/**
 * Builds the route table from file names below the pages folder (relative, with forward slashes), in any order. Styles,
 * tests, plain `.ts` helpers, files of actions alone (`cart.actions.server.ts`) and files in a folder that begins with
 * `_` are no routes and are skipped. `extensions` of pages are those beside `tsx` and `jsx`.
 */
export function readPageFiles(files: readonly string[], at = "", extensions: readonly string[] = []): RouteTable {
  const ending = new RegExp(`^(.+?)(\\.server\\.[jt]sx?|\\.(?:${["[jt]sx", ...extensions].join("|")}))$`);
  const folders = new Map<string, FolderEntry>([["/", { id: "/" }]]);
  const routes = new Map<string, RouteDraft>();

  for (const file of [...files].sort()) {
    const name = readName(file, ending);
    if (!name) continue;
    if (name.stem.startsWith("_")) addSpecialFile(folders, name);
    else addRouteFile(routes, name);
  }

  refuseSameAddresses([...routes.values()]);
  const folderList = [...folders.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { at, routes: finishRoutes([...routes.values()], folderList), folders: folderList };
}

/** `(shop)/orders/[id].server.ts` is the folder `["(shop)", "orders"]`, the stem `[id]` and the side `server`. */
interface PageFileName {
  file: string;
  folder: readonly string[];
  stem: string;
  side: "page" | "server";
}

function readName(file: string, ending: RegExp): PageFileName | null {
  const folder = file.split("/");
  const base = folder.pop() ?? "";
  if (fileActions(base) !== undefined) return null;
  if (/\.(?:test|spec)\.\w+$/.test(base) || base.endsWith(".d.ts") || folder.some((one) => one.startsWith("_")))
    return null;
  const [, stem, extension] = ending.exec(base) ?? [];
  if (!stem || !extension) return null;
  return { file, folder, stem, side: extension.startsWith(".server") ? "server" : "page" };
}

/** The root sorts to index 0, because `/` is the shortest prefix of every id. */
function folderId(folder: readonly string[]): string {
  return `/${folder.join("/")}`;
}

const specialFiles: Readonly<Record<string, Exclude<keyof FolderEntry, "id">>> = {
  "_layout page": "layout",
  "_layout server": "server",
  "_error page": "error",
  "_not-found page": "notFound",
  "_loading page": "loading",
};

function addSpecialFile(folders: Map<string, FolderEntry>, { file, folder, stem, side }: PageFileName): void {
  const role = specialFiles[`${stem} ${side}`];
  if (!role) throw routeErrors.unknownSpecialFile(file);
  readSegments(file, folder);
  const id = folderId(folder);
  const entry = folders.get(id) ?? { id };
  const other = entry[role];
  if (other) throw routeErrors.twoFilesForOneRole(stem, other, file);
  entry[role] = file;
  folders.set(id, entry);
}

/** A route whose folders have no indexes yet. */
interface RouteDraft extends Omit<RouteEntry, "folders" | "kind"> {
  folder: readonly string[];
  stem: string;
}

function addRouteFile(routes: Map<string, RouteDraft>, { file, folder, stem, side }: PageFileName): void {
  const segments = readSegments(file, stem === "index" ? folder : [...folder, stem]);
  const shape = segments.map(shapeOf).join("/");
  const id = `/${segments.map(spell).join("/")}`;
  const route = routes.get(shape) ?? { id, segments, folder, stem };
  const other = route[side] ?? (isSameFolder(route, folder, stem) ? undefined : (route.page ?? route.server));
  if (other) throw routeErrors.twoFilesForOnePath(id, other, file);
  route[side] = file;
  routes.set(shape, route);
}

/** A route with an optional parameter also answers without it, where another route may be. */
function refuseSameAddresses(routes: readonly RouteDraft[]): void {
  const files = new Map<string, string>();
  for (const route of routes)
    for (const segments of fixedPaths(route.segments)) {
      const shape = segments.map(shapeOf).join("/");
      const file = route.page ?? route.server ?? "";
      const other = files.get(shape);
      if (other !== undefined) throw routeErrors.twoFilesForOnePath(`/${segments.map(spell).join("/")}`, other, file);
      files.set(shape, file);
    }
}

/** A server file belongs to the page beside it, not to a page that only has the same address. */
function isSameFolder(route: RouteDraft, folder: readonly string[], stem: string): boolean {
  return route.stem === stem && folderId(route.folder) === folderId(folder);
}

function readSegments(file: string, pieces: readonly string[]): PathSegment[] {
  const segments: PathSegment[] = [];
  const names = new Set<string>();
  for (const [index, piece] of pieces.entries()) {
    // A group is a folder without an address; the last piece is the page's own name and cannot be a group.
    if (/^\([\w-]+\)$/.test(piece) && file.split("/")[index] === piece) continue;
    const segment = readPiece(file, piece);
    if (segments.at(-1)?.kind === "rest") throw routeErrors.restNotLast(file);
    const hasOptional = segments.some(({ kind }) => kind === "optional");
    if (hasOptional && segment.kind === "optional") throw routeErrors.twoOptionals(file);
    if (hasOptional && segment.kind === "rest") throw routeErrors.optionalBeforeRest(file);
    if (segment.kind !== "static") {
      if (names.has(segment.name)) throw routeErrors.parameterTwice(file, segment.name);
      names.add(segment.name);
    }
    segments.push(segment);
  }
  return segments;
}

function readPiece(file: string, piece: string): PathSegment {
  const [, before = "", name, matcher, after] = inBrackets.exec(piece) ?? [];
  const kind = brackets[before + after];
  if (name && kind && !(kind === "rest" && matcher)) return { kind, name, ...(matcher && { matcher }) };
  // Characters with a meaning in addresses, in file systems or in this notation.
  if (/[[\](){}%?#\\:*"<>|\s]/.test(piece)) throw routeErrors.misspelledName(file, piece);
  return { kind: "static", text: piece };
}

const inBrackets = /^(\[|\[\[|\[\.\.\.)([a-zA-Z][\w-]*)(?:=([a-zA-Z]\w*))?(\]\]?)$/;
const brackets: Readonly<Record<string, "param" | "optional" | "rest">> = {
  "[]": "param",
  "[[]]": "optional",
  "[...]": "rest",
};

function spell(segment: PathSegment): string {
  return segment.kind === "static" ? segment.text : bracketed(segment, segment.name);
}

/** Routes with the same shape match the same addresses; the names of their parameters do not matter. */
function shapeOf(segment: PathSegment): string {
  return segment.kind === "static" ? segment.text : bracketed(segment, "");
}

function bracketed(segment: Exclude<PathSegment, { kind: "static" }>, name: string): string {
  if (segment.kind === "rest") return `[...${name}]`;
  const text = segment.matcher === undefined ? name : `${name}=${segment.matcher}`;
  return segment.kind === "param" ? `[${text}]` : `[[${text}]]`;
}

function finishRoutes(drafts: readonly RouteDraft[], folders: readonly FolderEntry[]): RouteEntry[] {
  const numbers = new Map(folders.map((folder, index) => [folder.id, index]));
  return [...drafts].sort(moreSpecificFirst).map(({ id, segments, folder, page, server }) => ({
    id,
    kind: page ? "page" : "api",
    segments,
    folders: folder.reduce(
      (list, _, depth) => addIfKnown(list, numbers.get(folderId(folder.slice(0, depth + 1)))),
      [0],
    ),
    ...(page && { page }),
    ...(server && { server }),
  }));
}

function addIfKnown(list: number[], index: number | undefined): number[] {
  return index === undefined ? list : [...list, index];
}

/**
 * Static before parameter before optional before rest, at the first segment that differs: the order in which the
 * matcher tries them.
 */
function moreSpecificFirst(a: RouteDraft, b: RouteDraft): number {
  for (let index = 0; ; index++) {
    const one = a.segments[index];
    const two = b.segments[index];
    if (!one || !two) return a.segments.length - b.segments.length;
    if (rank[one.kind] !== rank[two.kind]) return rank[one.kind] - rank[two.kind];
    const [first, second] = [placeOf(one), placeOf(two)];
    if (first !== second) return first < second ? -1 : 1;
  }
}

/** Among segments of its kind. */
function placeOf(segment: PathSegment): string {
  if (segment.kind === "static") return segment.text;
  return segment.kind === "rest" ? "" : orderOf(segment);
}

const rank: Readonly<Record<PathSegment["kind"], number>> = { static: 0, param: 1, optional: 2, rest: 3 };
