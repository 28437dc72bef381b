import {
  type AcceptValue,
  type AddressRule,
  acceptBy,
  addressBelow,
  createMatcher,
  fixedPaths,
  joinSearch,
  layoutActions,
  nameValues,
  noParams,
  type PathSegment,
  pathBelow,
  type RouteMatch,
  type RouteTable,
  readParameter,
  segmentsOfId,
  splitLanguage,
  writeTargetPath,
} from "#routes";
import * as pageErrors from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { ApplicationParts, Lazy, PageModule } from "../parts.ts";
import type { FolderFiles } from "../react/index.ts";
import type { Schema } from "../standard-schema.ts";
import type { Action, Guard, Load, RequestHook } from "./author/define.ts";
import type { Socket } from "./author/socket.ts";
import { type CachePolicy, readCachePolicy } from "./cache/policy.ts";
import type { MaybePromise } from "./maybe-promise.ts";
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

/** An action, and the guard of its file if that has actions alone. */
export interface FoundAction {
  action: Action;
  guard: Guard | undefined;
}

/** A line of `redirects` or `rewrites` that a path belongs to, and the target for this path. */
export interface FoundRule {
  rule: AddressRule;
  /** Path of the target, without search. */
  path: string;
  /** The whole target as an address, with the visitor's search. */
  address(search: string): string;
}

export type FoundRoute = { route: LoadedRoute; params: Readonly<Record<string, string>> };

/** A path and the line of the route table that it matches. */
export interface MatchedPath {
  path: string;
  match: RouteMatch;
  /** What a matcher has thrown. */
  failure?: { thrown: unknown };
  /** The pattern of the route's addresses, and its kind. Undefined if no route has the path. */
  route: { route: string; kind: "page" | "api" } | undefined;
}

/** The application's files, found by path and loaded once. */
export class Application {
  readonly parts: ApplicationParts;
  /** All routes as the browser knows them. */
  readonly patterns: readonly { id: string; page?: string | undefined }[];
  readonly #accepts: AcceptValue;
  readonly #match: ReturnType<typeof createMatcher>;
  readonly #routes: readonly NonNullable<MatchedPath["route"]>[];
  readonly #loaded: (LoadedRoute | undefined)[] = [];
  readonly #nowhere = new Map<string, LoadedRoute>();
  readonly #actionFiles = new Map<string, ReadonlyMap<string, FoundAction>>();
  /** First segments of paths in the application that only API routes have. */
  readonly #apiSpaces: ReadonlySet<string>;
  readonly #rules: readonly AddressRule[];
  readonly #limits: ServerLimits;
  #hook: RequestHook<object> | null | undefined;

  constructor(parts: ApplicationParts, limits: ServerLimits, rules: readonly AddressRule[] = []) {
    this.parts = parts;
    this.#limits = limits;
    this.#rules = rules;
    const { at, routes } = parts.table;
    this.patterns = routes.map(({ id, page }) => ({ id: addressBelow(at, id), page }));
    this.#routes = routes.map(({ id, kind }) => ({ route: addressBelow(at, id), kind }));
    // One tree for routes and rules, so that the most specific of all wins.
    this.#accepts = acceptBy(parts.matchers);
    this.#match = createMatcher({ at, routes: [...routes, ...rules] }, this.#accepts);
    const begin = (wanted: "page" | "api"): string[] =>
      routes.filter(({ kind }) => kind === wanted).map(({ id }) => firstPiece(id));
    const pages = new Set(begin("page"));
    this.#apiSpaces = new Set(begin("api").filter((piece) => !pages.has(piece)));
  }

  /** Whether a page is cached, as far as its files are loaded. */
  get mayCache(): boolean {
    const { routes } = this.parts.table;
    return routes.some(({ kind, server }, index) => {
      const loaded = this.#loaded[index];
      return loaded ? loaded.caching !== undefined : kind === "page" && server !== undefined;
    });
  }

  /** Matches a canonical path, once for a request. Loads no file. */
  match(path: string): MatchedPath {
    try {
      const match = this.#match(path);
      return { path, match, route: match.kind === "found" ? this.#routes[match.index] : undefined };
    } catch (thrown) {
      return { path, match: { kind: "not-found" }, route: undefined, failure: { thrown } };
    }
  }

  /** The route of a matched path, if its files are loaded. */
  loadedRoute({ match }: MatchedPath): LoadedRoute | undefined {
    return match.kind === "found" ? this.#loaded[match.index] : undefined;
  }

  /**
   * Finds the route of a matched path. Synchronous once its files are loaded, which is the case for all but the first
   * request.
   */
  find({ path, match, route: known, failure }: MatchedPath): MaybePromise<FoundRoute> {
    if (failure) return { route: brokenRoute(-1, this.parts.table, failure.thrown), params: noParams };
    if (match.kind === "not-found" || !known) return this.#findNowhere(path);
    const route = this.#loaded[match.index];
    if (route) return { route, params: match.params };
    return this.#load(match.index).then(
      (loaded) => ({ route: loaded, params: match.params }),
      (thrown: unknown) => ({ route: brokenRoute(match.index, this.parts.table, thrown), params: match.params }),
    );
  }

  /**
   * Finds the route whose action was sent, by its id; undefined if this build has none. An action of a layout or
   * component may have been sent from an address that no route matches, which is `nowhere`.
   */
  async ofAction(id: string, name: string): Promise<LoadedRoute | undefined> {
    if (id !== nowhere) return this.byId(id);
    const { table } = this.parts;
    const folder = table.folders.find((one) => name.startsWith(layoutActions(one.id)));
    return this.#loadNowhere(enclosingFolders(table, folder?.id ?? "/"));
  }

  /** Finds a route by its id; undefined if this build has none. */
  async byId(id: string): Promise<LoadedRoute | undefined> {
    const index = this.parts.table.routes.findIndex((one) => one.id === id);
    return index < 0 ? undefined : (this.#loaded[index] ?? (await this.#load(index)));
  }

  /** Finds an action that a page may post to: its own, its layouts', or one of a component's file. */
  async findAction(route: LoadedRoute, name: string): Promise<FoundAction | undefined> {
    const action = route.actions.get(name);
    if (action || route.kind === "api") return action && { action, guard: undefined };
    return (await this.#loadActionFile(name.slice(0, name.lastIndexOf("/") + 1))).get(name);
  }

  /** The actions of all components' files, by name. */
  async fileActions(): Promise<Map<string, FoundAction>> {
    const starts = Object.keys(this.parts.actionFiles ?? {});
    return new Map((await Promise.all(starts.map((start) => this.#loadActionFile(start)))).flatMap((one) => [...one]));
  }

  async #loadActionFile(start: string): Promise<ReadonlyMap<string, FoundAction>> {
    const known = this.#actionFiles.get(start);
    if (known) return known;
    const { actionFiles = {} } = this.parts;
    const lazy = Object.hasOwn(actionFiles, start) ? actionFiles[start] : undefined;
    if (!lazy) return new Map();
    const file = `src/${start.slice(0, -1)}.server`;
    const server = await lazy();
    const guard = readGuard(server, file);
    const own = readActions(server, file, this.#limits);
    const actions = new Map([...own].map(([name, action]) => [start + name, { action, guard }] as const));
    this.#actionFiles.set(start, actions);
    return actions;
  }

  /** Finds the line of `redirects` or `rewrites` that takes a path before any route. */
  findRule(path: string): FoundRule | undefined {
    if (this.#rules.length === 0) return undefined;
    const { at, routes } = this.parts.table;
    const { match } = this.match(path);
    const rule = match.kind === "found" ? this.#rules[match.index - routes.length] : undefined;
    if (match.kind === "not-found" || !rule) return undefined;
    const { to } = rule;
    const written = writeTargetPath(to, match.params);
    const target = to.origin === "" ? addressBelow(at, written) : written;
    return { rule, path: target, address: (search) => to.origin + target + joinSearch(to.search, search) + to.hash };
  }

  /** Whether a page matches this path, as the target of a redirect or link. */
  hasPage(path: string): boolean {
    const { match } = this.match(path);
    return match.kind === "found" && this.parts.table.routes[match.index]?.kind === "page";
  }

  /** Whether a route or a line of the tables answers this path. */
  hasRoute(path: string): boolean {
    return this.match(path).match.kind === "found";
  }

  /** Whether an address starts like an API route and like no page. */
  isAmongApis(url: string): boolean {
    const { table, languages } = this.parts;
    const path = languages ? splitLanguage(languages.table, table.at, url).path : url;
    return this.#apiSpaces.has(firstPiece(pathBelow(table.at, path) ?? ""));
  }

  /** The request hook, or null without one. Synchronous once it is loaded. */
  hook(): MaybePromise<RequestHook<object> | null> {
    return this.#hook === undefined ? this.#loadHook() : this.#hook;
  }

  async #loadHook(): Promise<RequestHook<object> | null> {
    const exported = (await this.parts.request?.())?.default;
    if (exported !== undefined && typeof exported !== "function") {
      throw pageErrors.wrongServerExport(
        "src/request.server.ts",
        "default",
        typeof exported,
        "a function: export default onRequest(…)",
      );
    }
    this.#hook = (exported as RequestHook<object> | undefined) ?? null;
    return this.#hook;
  }

  /** Loads every file ahead of the first request. */
  async warm(): Promise<void> {
    await Promise.all([
      this.hook(),
      this.fileActions(),
      ...this.parts.table.routes.map((_, index) => this.#load(index)),
    ]);
  }

  async #load(index: number): Promise<LoadedRoute> {
    const entry = this.parts.table.routes[index];
    const modules = this.parts.routes[index];
    if (!entry || !modules) throw new RangeError(`There is no route ${index}.`);
    const [enclosing, page, server] = await Promise.all([
      this.#readFolders(entry.folders),
      load(modules.page),
      load(modules.server),
    ]);
    const file = entry.server ?? entry.id;
    if (page) checkComponent(page, entry.page ?? entry.id);
    const loaded: LoadedRoute = {
      index,
      id: entry.id,
      pattern: this.patterns[index]?.id ?? null,
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
      ...actionsIn(entry.kind === "page" ? enclosing.actions : [], readActions(server, file, this.#limits)),
      methods: entry.kind === "api" ? readMethods(server, file) : new Map(),
      socket: entry.kind === "api" ? readSocket(server, file) : undefined,
      freshMs: inMs(readAmount(server, file, "fresh", "seconds")),
      expiresMs: inMs(readAmount(server, file, "expires", "seconds")),
      cache: readCache(server, file),
      caching: entry.kind === "page" ? readCachePolicy(server, file) : undefined,
      ...readOwnLimits(server, file, entry.kind, this.#limits),
      origins: readOrigins(server, file),
      heals: readHeals(server, file),
      budget: readBudget(server, file),
      prerender: entry.kind === "page" ? readPrerender(server, file) : undefined,
    };
    this.#loaded[index] = loaded;
    return loaded;
  }

  async #findNowhere(address: string): Promise<FoundRoute> {
    const path = pathBelow(this.parts.table.at, address) ?? "/";
    const folders = nearestFolders(this.parts.table, path, this.#isAccepted);
    const params = paramsOf(this.parts.table.folders[folders.at(-1) ?? 0]?.id ?? "/", path, this.#isAccepted);
    try {
      return { route: await this.#loadNowhere(folders), params };
    } catch (thrown) {
      return { route: brokenRoute(-1, this.parts.table, thrown), params };
    }
  }

  /** For a folder around an address that nothing answers, a matcher that fails accepts nothing. */
  readonly #isAccepted: AcceptValue = (name, value) => {
    try {
      return this.#accepts(name, value);
    } catch {
      return false;
    }
  };

  async #loadNowhere(folders: readonly number[]): Promise<LoadedRoute> {
    const key = folders.join();
    const known = this.#nowhere.get(key);
    if (known) return known;
    const { files, guards, loads, actions } = await this.#readFolders(folders);
    const route = { ...emptyRoute, folders, files, guards, loads: [...loads, undefined], ...actionsIn(actions) };
    this.#nowhere.set(key, route);
    return route;
  }

  async #readFolders(folders: readonly number[]): Promise<{
    files: FolderFiles[];
    guards: (Guard | undefined)[];
    loads: (Load | undefined)[];
    actions: ReadonlyMap<string, Action>[];
  }> {
    const all = await Promise.all(
      folders.map(async (index) => {
        const modules = this.parts.folders[index] ?? {};
        const entry = this.parts.table.folders[index];
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
        const own = start === undefined ? [] : readActions(server, file, this.#limits);
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
}

/** Stands for the id of a route in what is kept, where no route matches the address. Ids begin with a slash. */
export const nowhere = "not-found";

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

/**
 * A route whose files could not be loaded: a guard throws that error, so that it is recorded and shown like any other.
 */
function brokenRoute(index: number, table: RouteTable, thrown: unknown): LoadedRoute {
  const entry = table.routes[index];
  const guard = (): never => {
    throw thrown;
  };
  if (!entry) return { ...emptyRoute, guards: [guard] };
  const { id, kind } = entry;
  return { ...emptyRoute, index, id, pattern: addressBelow(table.at, id), kind, guards: [guard] };
}

async function load<Module>(lazy: Lazy<Module> | undefined): Promise<Module | undefined> {
  return lazy?.();
}

/**
 * The existing folders along a path of the application that no route matches; the nearest one's `_not-found` is shown.
 * Groups have no segment, so an unknown path cannot belong to one.
 */
function nearestFolders(table: RouteTable, path: string, accepts: AcceptValue): readonly number[] {
  const pieces = piecesOf(path);
  let best: { index: number; id: string; length: number } = { index: 0, id: "/", length: 0 };
  for (const [index, folder] of table.folders.entries()) {
    const { length } = piecesOf(folder.id);
    if (length > best.length && !folder.id.includes("(") && folderValues(folder.id, pieces, accepts))
      best = { index, id: folder.id, length };
  }
  return enclosingFolders(table, best.id);
}

/** A folder and those around it, from the root inwards. */
function enclosingFolders(table: RouteTable, innermost: string): readonly number[] {
  return table.folders
    .map((folder, index) => ({ index, id: folder.id }))
    .filter(({ id }) => id === "/" || id === innermost || innermost.startsWith(`${id}/`))
    .sort((a, b) => a.id.length - b.id.length)
    .map(({ index }) => index);
}

/** The parameters that a folder's guard and layout expect, read from the start of the path. */
function paramsOf(folder: string, path: string, accepts: AcceptValue): Record<string, string> {
  return nameValues(segmentsOfId(folder), folderValues(folder, piecesOf(path), accepts) ?? []);
}

/** The values of a folder's parameters, if a path begins with the folder. */
function folderValues(folder: string, pieces: readonly string[], accepts: AcceptValue): string[] | undefined {
  const segments = segmentsOfId(folder);
  const values = pieces.map((piece) => readParameter(decodeURIComponent(piece)) ?? "");
  const fits = (one: PathSegment, at: number): boolean => {
    if (at >= pieces.length || one.kind === "static") return one.kind === "static" && one.text === pieces[at];
    return one.kind === "rest" || one.matcher === undefined || accepts(one.matcher, values[at] ?? "");
  };
  const fitting = fixedPaths(segments).filter((one) => one.every(fits));
  // The last piece is what nothing answers: a misspelled page rather than a value.
  const best = fitting.find(({ length }) => length < pieces.length) ?? fitting[0];
  return best && values.filter((_, at) => best[at] !== undefined && best[at].kind !== "static");
}

function firstPiece(address: string): string {
  return address.split(/[/?]/, 2)[1] ?? "";
}

function piecesOf(path: string): string[] {
  return path.split("/").filter((piece) => piece !== "");
}
