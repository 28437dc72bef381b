import { addressBelow, layoutActions, type PathSegment, type RouteTable } from "#routes";
import type { ServerLimits } from "../limits.ts";
import type { ApplicationParts, Lazy, PageModule } from "../parts.ts";
import type { FolderFiles } from "../react/index.ts";
import type { Schema } from "../standard-schema.ts";
import type { Action, Guard, Load } from "./author/define.ts";
import type { Socket } from "./author/socket.ts";
import { type CachePolicy, readCachePolicy } from "./cache/policy.ts";
import type { OtherOrigins } from "./other-origins.ts";
import type { DeclaredPrerender } from "./prerender/prerendered.ts";
import {
  type ApiHandler,
  checkComponent,
  inMs,
  readActions,
  readAmount,
  readBudget,
  readCache,
  readGuard,
  readHeals,
  readLoad,
  readMethods,
  readOrigins,
  readOwnLimits,
  readPrerender,
  readSchema,
  readSocket,
  readWrongSearch,
} from "./read-exports.ts";
import type { WrongSearch } from "./typed-search.ts";

/** A route with its files loaded and all their exports checked. Created at its first request and kept. */
export interface LoadedRoute {
  /** Index into the table, or -1 for an address that no route matches. */
  index: number;
  /** Route id, or null. */
  id: string | null;
  /** The id as an address of the host, or null: its name in reports, and for the browser. */
  pattern: string | null;
  kind: "page" | "api" | "none";
  folders: readonly number[];
  files: readonly FolderFiles[];
  page: PageModule | undefined;
  /** Parallel to `folders`, then the page's own. */
  guards: readonly (Guard | undefined)[];
  loads: readonly (Load | undefined)[];
  /** The schema of a page's search, if it exports one. */
  search: Schema | undefined;
  wrongSearch: WrongSearch;
  /** The schema of its parameters, if it exports one. */
  params: Schema | undefined;
  segments: readonly PathSegment[];
  /** Its own actions and those of its layouts, by the names that their addresses have. */
  actions: ReadonlyMap<string, Action>;
  /** For actions of layouts: the number of guards that run before them, those of the layout's folder included. */
  guardsBefore: ReadonlyMap<string, number>;
  /** Handlers of an API route by method. */
  methods: ReadonlyMap<string, ApiHandler>;
  /** The socket of an API route, if it has one. */
  socket: Socket | undefined;
  freshMs: number | undefined;
  expiresMs: number | undefined;
  /** The page's own `Cache-Control`. */
  cache: string | undefined;
  /** How the server caches the page, if it does. */
  caching: CachePolicy | undefined;
  /** The time limit that the route declares: of each load and guard, or of an API route's handler. */
  timeoutMs: number | undefined;
  /** The limit for bodies of an API route, if it declares one. */
  bodyBytes: number | undefined;
  /** Origins whose pages may call an API route, if it declares them. */
  origins: OtherOrigins | undefined;
  /** Whether the build before may answer it. */
  heals: boolean;
  /** The page's declared budget, by measure. */
  budget: Readonly<Record<string, number>> | undefined;
  /** Which of its pages the build makes. */
  prerender: DeclaredPrerender | undefined;
}

/** Where the files of routes come from. */
export interface RouteFiles {
  parts: ApplicationParts;
  limits: ServerLimits;
}

/** Loads the files of a route and checks all that they export. */
export async function loadRoute(index: number, { parts, limits }: RouteFiles): Promise<LoadedRoute> {
  const entry = parts.table.routes[index];
  const modules = parts.routes[index];
  if (!entry || !modules) throw new RangeError(`There is no route ${index}.`);
  const [enclosing, page, server] = await Promise.all([
    readFolders(entry.folders, { parts, limits }),
    load(modules.page),
    load(modules.server),
  ]);
  const file = entry.server ?? entry.id;
  if (page) checkComponent(page, entry.page ?? entry.id);
  return {
    index,
    id: entry.id,
    pattern: addressBelow(parts.table.at, entry.id),
    kind: entry.kind,
    folders: entry.folders,
    files: enclosing.files,
    page,
    guards: [...enclosing.guards, readGuard(server, file)],
    loads: [...enclosing.loads, readLoad(server, file, entry.id)],
    search: entry.kind === "page" ? readSchema(server, file, "search") : undefined,
    wrongSearch: readWrongSearch(server, file),
    params: readSchema(server, file, "params"),
    segments: entry.segments,
    ...actionsIn(entry.kind === "page" ? enclosing.actions : [], readActions(server, file, limits)),
    methods: entry.kind === "api" ? readMethods(server, file) : new Map(),
    socket: entry.kind === "api" ? readSocket(server, file) : undefined,
    freshMs: inMs(readAmount(server, file, "fresh", "seconds")),
    expiresMs: inMs(readAmount(server, file, "expires", "seconds")),
    cache: readCache(server, file),
    caching: entry.kind === "page" ? readCachePolicy(server, file) : undefined,
    ...readOwnLimits(server, file, entry.kind, limits),
    origins: readOrigins(server, file),
    heals: readHeals(server, file),
    budget: readBudget(server, file),
    prerender: entry.kind === "page" ? readPrerender(server, file) : undefined,
  };
}

/** Loads the folders around an address that no route matches, which show its not-found page. */
export async function loadNowhere(folders: readonly number[], from: RouteFiles): Promise<LoadedRoute> {
  const { files, guards, loads, actions } = await readFolders(folders, from);
  return { ...emptyRoute, folders, files, guards, loads: [...loads, undefined], ...actionsIn(actions) };
}

/**
 * A route whose files could not be loaded: a guard throws that error, so that it is recorded and shown like any other.
 */
export function brokenRoute(index: number, table: RouteTable, thrown: unknown): LoadedRoute {
  const entry = table.routes[index];
  const guard = (): never => {
    throw thrown;
  };
  if (!entry) return { ...emptyRoute, guards: [guard] };
  const { id, kind } = entry;
  return { ...emptyRoute, index, id, pattern: addressBelow(table.at, id), kind, guards: [guard] };
}

/** Stands for the id of a route in what is kept, where no route matches the address. Ids begin with a slash. */
export const nowhere = "not-found";

async function readFolders(
  folders: readonly number[],
  { parts, limits }: RouteFiles,
): Promise<{
  files: FolderFiles[];
  guards: (Guard | undefined)[];
  loads: (Load | undefined)[];
  actions: ReadonlyMap<string, Action>[];
}> {
  const all = await Promise.all(
    folders.map(async (index) => {
      const modules = parts.folders[index] ?? {};
      const entry = parts.table.folders[index];
      const [layout, error, notFound, loading, server] = await Promise.all([
        load(modules.layout),
        load(modules.error),
        load(modules.notFound),
        load(modules.loading),
        load(modules.server),
      ]);
      for (const [module, file] of [
        [layout, entry?.layout],
        [error, entry?.error],
        [notFound, entry?.notFound],
        [loading, entry?.loading],
      ] as const) {
        if (module) checkComponent(module, file ?? "");
      }
      const file = entry?.server ?? "";
      const start = layout && server && layoutActions(entry?.id ?? "/");
      const own = start === undefined ? [] : readActions(server, file, limits);
      return {
        files: { layout, error, notFound, loading, actions: start },
        actions: new Map([...own].map(([name, action]) => [start + name, action])),
        guard: readGuard(server, file),
        load: readLoad(server, file, undefined),
      };
    }),
  );
  return {
    files: all.map((one) => one.files),
    guards: all.map((one) => one.guard),
    loads: all.map((one) => one.load),
    actions: all.map((one) => one.actions),
  };
}

/** `ofLayouts`: parallel to the folders. */
function actionsIn(
  ofLayouts: readonly ReadonlyMap<string, Action>[],
  own: Iterable<[string, Action]> = [],
): Pick<LoadedRoute, "actions" | "guardsBefore"> {
  return {
    actions: new Map([...ofLayouts.flatMap((actions) => [...actions]), ...own]),
    guardsBefore: new Map(
      ofLayouts.flatMap((actions, depth) => [...actions.keys()].map((name) => [name, depth + 1] as const)),
    ),
  };
}

const emptyRoute: LoadedRoute = {
  index: -1,
  id: null,
  pattern: null,
  kind: "none",
  folders: [],
  files: [],
  page: undefined,
  guards: [],
  loads: [],
  search: undefined,
  wrongSearch: "defaults",
  params: undefined,
  segments: [],
  actions: new Map(),
  guardsBefore: new Map(),
  methods: new Map(),
  socket: undefined,
  freshMs: undefined,
  expiresMs: undefined,
  cache: undefined,
  caching: undefined,
  timeoutMs: undefined,
  bodyBytes: undefined,
  origins: undefined,
  heals: true,
  budget: undefined,
  prerender: undefined,
};

async function load<Module>(lazy: Lazy<Module> | undefined): Promise<Module | undefined> {
  return lazy?.();
}
