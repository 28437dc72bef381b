import { AsyncResource } from "node:async_hooks";
import { registerHooks } from "node:module";
import type { Span } from "../../trace/trace.ts";
import { beginQuery } from "./query-span.ts";

/** The files of the package `pg` that send queries and hand connections to those who wait for one. */
const ofPostgres = /[\\/]pg[\\/]lib[\\/](?:native[\\/])?client\.js$|[\\/]pg-pool[\\/]index\.js$/;

/**
 * By this name they reach us when the application loads them, whenever that is and whichever copy of the package it is.
 */
const loadedGlobal = "__holdfast_pg";

type Method = (this: unknown, ...values: unknown[]) => unknown;
type Named = Record<string, Method>;

/**
 * Sees the queries that the application makes with `pg` while it answers a request, as spans. The package is not ours
 * to depend on and tells nobody what it does, so a line at the end of its files says that they are loaded. The build
 * has put it there; where Node loads the package itself, we do. Must be called before the application is loaded.
 */
export function watchPostgres(now: () => number): () => void {
  const undo: (() => void)[] = [];
  const wrap = (owner: Named, name: string, wrapped: (original: Method) => Method): void => {
    const original = owner[name];
    if (typeof original !== "function") return;
    owner[name] = wrapped(original);
    undo.push(() => {
      owner[name] = original;
    });
  };
  const loaded = (exports: unknown): void => {
    const prototype = prototypeOf(exports);
    if (!prototype) return;
    // A pool has both; its queries go to a client, where they are seen.
    if ("totalCount" in prototype) wrap(prototype, "connect", keepsItsRequest);
    else wrap(prototype, "query", (original) => measuredQuery(original, now));
  };
  Object.assign(globalThis, { [loadedGlobal]: loaded });
  const hooks = registerHooks({
    load: (url, context, next) => {
      const file = next(url, context);
      if (!ofPostgres.test(url)) return file;
      return { ...file, source: `${file.source}\n;globalThis.${loadedGlobal}?.(module.exports);\n` };
    },
  });
  return () => {
    hooks.deregister();
    Reflect.deleteProperty(globalThis, loadedGlobal);
    for (const one of undo) one();
  };
}

function prototypeOf(exports: unknown): Named | undefined {
  return typeof exports === "function" ? (exports.prototype as Named) : undefined;
}

/**
 * Who waits for a connection gets it from the request that gives it back; what follows belongs to the one who waited.
 */
function keepsItsRequest(original: Method): Method {
  return function (this: unknown, taken, ...others) {
    const mine = typeof taken === "function" ? AsyncResource.bind(taken as () => void) : taken;
    return Reflect.apply(original, this, [mine, ...others]);
  };
}

/**
 * A text or an object with one, then perhaps values, then perhaps who is called at the end; without that it returns a
 * promise.
 */
function measuredQuery(original: Method, now: () => number): Method {
  return function (this: unknown, ...values) {
    const sql = textOf(values[0]);
    const span = sql === undefined ? undefined : beginQuery("postgresql", sql, now());
    if (!span) return Reflect.apply(original, this, values);
    const end = (failed: boolean): void => endQuery(span, failed, now());
    const at = values.findLastIndex((value) => typeof value === "function");
    const called = values[at];
    if (typeof called === "function")
      values[at] = function (this: unknown, ...outcome: unknown[]): unknown {
        end(Boolean(outcome[0]));
        return Reflect.apply(called, this, outcome);
      };
    const result = Reflect.apply(original, this, values);
    if (!(result instanceof Promise)) return result;
    // The returned promise is the one whose rejection must stay visible.
    return result.then(
      (rows: unknown) => {
        end(false);
        return rows;
      },
      (error: unknown) => {
        end(true);
        throw error;
      },
    );
  };
}

/** Cursors and streams run while their reader asks; they are not measured. */
function textOf(query: unknown): string | undefined {
  if (typeof query === "string") return query;
  if (typeof query !== "object" || query === null || "submit" in query) return undefined;
  return "text" in query && typeof query.text === "string" ? query.text : undefined;
}

function endQuery(span: Span, failed: boolean, nowMs: number): void {
  span.endMs = nowMs;
  if (failed) span.status = "internal_error";
}
