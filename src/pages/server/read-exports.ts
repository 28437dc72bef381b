import * as pageErrors from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { ServerModule } from "../parts.ts";
import { type OwnLimits, problemsOfOwnLimits, uploadLimitsWithoutUploads, withoutDisk } from "../settable-limits.ts";
import type { Schema } from "../standard-schema.ts";
import type { Action, Guard, Load } from "./author/define.ts";
import type { Socket } from "./author/socket.ts";
import type { OtherOrigins } from "./other-origins.ts";
import type { DeclaredPrerender } from "./prerender/prerendered.ts";
import type { WrongSearch } from "./typed-search.ts";

/** Readers of what the files of a route export. Each throws an error that names the file, if an export is wrong. */

export type ApiHandler = (request: Request, context: unknown) => Response | Promise<Response>;

/** Limits that a route sets itself. */
export interface RouteLimits {
  timeoutMs: number | undefined;
  bodyBytes: number | undefined;
}

export function checkComponent(module: { default: unknown }, file: string): void {
  const { default: component } = module;
  const isComponent = typeof component === "function" || (typeof component === "object" && component !== null);
  if (!isComponent) throw pageErrors.notAComponent(file, typeof component);
}

export function readGuard(server: ServerModule | undefined, file: string): Guard | undefined {
  const guard = server?.guard;
  if (guard === undefined || typeof guard === "function") return guard as Guard | undefined;
  throw pageErrors.wrongServerExport(file, "guard", typeof guard, "a function");
}

export function readLoad(server: ServerModule | undefined, file: string, id: string | undefined): Load | undefined {
  const data = server?.data;
  if (data === undefined) return undefined;
  if (!isMadeBy(data, "load"))
    throw pageErrors.wrongServerExport(file, "data", typeof data, "load(…) from holdfast/server");
  const made = data as Load;
  if (id !== undefined && made.route !== undefined && made.route !== id)
    throw pageErrors.loadForOtherRoute(file, made.route, id);
  if (made.params && made.params !== server?.params)
    throw pageErrors.wrongServerExport(file, "params", typeof server?.params, "the schema that is given to load(…)");
  return made;
}

/** The schema for a part of the address. A schema may be a function. */
export function readSchema(
  server: ServerModule | undefined,
  file: string,
  name: "search" | "params",
): Schema | undefined {
  const schema = server?.[name];
  if (schema === undefined) return undefined;
  if (typeof (Object(schema) as Partial<Schema>)["~standard"]?.validate === "function") return schema as Schema;
  throw pageErrors.wrongServerExport(file, name, typeof schema, "a schema, such as z.object({ … })");
}

export function readWrongSearch(server: ServerModule | undefined, file: string): WrongSearch {
  const wrong = server?.wrongSearch ?? "defaults";
  if (wrong === "defaults" || wrong === "refuse") return wrong;
  throw pageErrors.wrongServerExport(file, "wrongSearch", JSON.stringify(wrong), '"defaults" or "refuse"');
}

export function readActions(server: ServerModule | undefined, file: string, limits: ServerLimits): Map<string, Action> {
  const actions = new Map<string, Action>();
  for (const [name, value] of Object.entries(server?.actions ?? {})) {
    if (!isMadeBy(value, "action"))
      throw pageErrors.wrongServerExport(file, `actions.${name}`, typeof value, "action(…) from holdfast/server");
    // They separate parts of an address: the file before the name, the search after it.
    if (/[/?#]/.test(name))
      throw pageErrors.wrongServerExport(file, `actions[${JSON.stringify(name)}]`, "such a name", "no /, ? or # in it");
    const action = value as Action;
    const shared = typeof action.uploads === "object" ? withoutDisk(limits) : limits;
    checkLimits(`${file} (actions.${name})`, problemsOfOwnLimits(action, "action", shared));
    if (!action.uploads && (action.uploadBytes ?? action.files) !== undefined)
      throw pageErrors.wrongLimit(`${file} (actions.${name})`, [uploadLimitsWithoutUploads]);
    actions.set(name, action);
  }
  return actions;
}

function checkLimits(file: string, problems: readonly string[]): void {
  if (problems.length > 0) throw pageErrors.wrongLimit(file, problems);
}

export function readOwnLimits(
  server: ServerModule | undefined,
  file: string,
  kind: "page" | "api",
  limits: ServerLimits,
): RouteLimits {
  const { timeout, bodyBytes } = (server ?? {}) as OwnLimits;
  checkLimits(file, problemsOfOwnLimits({ timeout, ...(kind === "api" && { bodyBytes }) }, kind, limits));
  return { timeoutMs: inMs(timeout as number | undefined), bodyBytes: bodyBytes as number | undefined };
}

function isMadeBy(value: unknown, kind: string): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}

const apiMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function readMethods(server: ServerModule | undefined, file: string): Map<string, ApiHandler> {
  const methods = new Map<string, ApiHandler>();
  for (const method of apiMethods) {
    const handler = server?.[method];
    if (handler === undefined) continue;
    if (typeof handler !== "function")
      throw pageErrors.wrongServerExport(file, method, typeof handler, "a function (request) => Response");
    methods.set(method, handler as ApiHandler);
  }
  const belongsToPage = server?.data !== undefined || server?.actions !== undefined;
  if (belongsToPage && methods.size === 0 && server.socket === undefined)
    throw pageErrors.noPageBeside(file, file.replace(/\.server\.\w+$/, ".tsx"));
  return methods;
}

export function readSocket(server: ServerModule | undefined, file: string): Socket | undefined {
  const socket = server?.socket;
  if (socket === undefined) return undefined;
  if (!isMadeBy(socket, "socket"))
    throw pageErrors.wrongServerExport(file, "socket", typeof socket, "onSocket(…) from holdfast/server");
  return socket as Socket;
}

/** Whether the build before may answer this route, when this one fails. */
export function readHeals(server: ServerModule | undefined, file: string): boolean {
  const heals = server?.heals ?? true;
  if (typeof heals === "boolean") return heals;
  throw pageErrors.wrongServerExport(file, "heals", typeof heals, "true or false");
}

export function readOrigins(server: ServerModule | undefined, file: string): OtherOrigins | undefined {
  const origins = server?.origins;
  const isList = Array.isArray(origins) && origins.every((one) => URL.canParse(one) && new URL(one).origin === one);
  if (origins === undefined || origins === "any" || isList) return origins as OtherOrigins | undefined;
  throw pageErrors.wrongServerExport(
    file,
    "origins",
    JSON.stringify(origins),
    '"any", or a list of origins such as "https://shop.example"',
  );
}

export function readAmount(
  server: ServerModule | undefined,
  file: string,
  name: string,
  unit: string,
): number | undefined {
  const value = server?.[name];
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value >= 0))
    throw pageErrors.wrongServerExport(file, name, JSON.stringify(value), `a number of ${unit}`);
  return value;
}

/** A build has already checked this; in development it is checked here. */
export function readBudget(server: ServerModule | undefined, file: string): Record<string, number> | undefined {
  const declared = server?.budget;
  if (declared === undefined) return undefined;
  const budget: Record<string, number> = {};
  for (const [measure, limit] of Object.entries(Object(declared))) {
    if (typeof limit !== "number" || !(limit > 0))
      throw pageErrors.wrongServerExport(file, `budget.${measure}`, JSON.stringify(limit), "a number above 0");
    budget[measure] = limit;
  }
  return budget;
}

export function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The `Cache-Control` of a page. An object is for the server's own cache: `cache/policy.ts` reads it. */
export function readCache(server: ServerModule | undefined, file: string): string | undefined {
  const value = server?.cache;
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "object" && value !== null) return undefined;
  throw pageErrors.wrongServerExport(file, "cache", typeof value, "a Cache-Control text, or { fresh: … }");
}

export function readPrerender(server: ServerModule | undefined, file: string): DeclaredPrerender | undefined {
  const declared = server?.prerender;
  if (declared === undefined || declared === false) return undefined;
  if (declared === true) return { params: undefined, others: "render" };
  const { params, others = "render" } = isList(declared)
    ? { params: declared }
    : (Object(declared) as { params?: unknown; others?: unknown });
  if (isList(params) && (others === "render" || others === "not-found")) return { params, others };
  throw pageErrors.wrongServerExport(
    file,
    "prerender",
    typeof declared,
    'true, a list of parameters, a function that lists them, or { params, others: "render" | "not-found" }',
  );
}

function isList(value: unknown): value is NonNullable<DeclaredPrerender["params"]> {
  return Array.isArray(value) || typeof value === "function";
}
