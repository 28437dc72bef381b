import {
  type AcceptValue,
  type AddressRule,
  acceptBy,
  addressBelow,
  createMatcher,
  joinSearch,
  layoutActions,
  noParams,
  pathBelow,
  type RouteMatch,
  splitLanguage,
  writeTargetPath,
} from "#routes";
import * as pageErrors from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { ApplicationParts } from "../parts.ts";
import type { Action, Guard, RequestHook } from "./author/define.ts";
import { brokenRoute, type LoadedRoute, loadNowhere, loadRoute, nowhere, type RouteFiles } from "./load-route.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { enclosingFolders, nearestFolders, paramsOfFolder } from "./nearest-folders.ts";
import { readActions, readGuard } from "./read-exports.ts";

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
  readonly #files: RouteFiles;
  #hook: RequestHook<object> | null | undefined;

  constructor(parts: ApplicationParts, limits: ServerLimits, rules: readonly AddressRule[] = []) {
    this.parts = parts;
    this.#files = { parts, limits };
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
    const own = readActions(server, file, this.#files.limits);
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
    const loaded = await loadRoute(index, this.#files);
    this.#loaded[index] = loaded;
    return loaded;
  }

  async #findNowhere(address: string): Promise<FoundRoute> {
    const path = pathBelow(this.parts.table.at, address) ?? "/";
    const folders = nearestFolders(this.parts.table, path, this.#isAccepted);
    const params = paramsOfFolder(this.parts.table.folders[folders.at(-1) ?? 0]?.id ?? "/", path, this.#isAccepted);
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
    const route = await loadNowhere(folders, this.#files);
    this.#nowhere.set(key, route);
    return route;
  }
}

function firstPiece(address: string): string {
  return address.split(/[/?]/, 2)[1] ?? "";
}
