import { AsyncResource } from "node:async_hooks";
import { registerHooks } from "node:module";
import type { Span } from "../../trace/trace.ts";
import { beginQuery } from "./query-span.ts";

/** Files of the package `pg` that send queries and manage connections. */
const ofPostgres = /[\\/]pg[\\/]lib[\\/](?:native[\\/])?client\.js$|[\\/]pg-pool[\\/]index\.js$/;

/**
 * Global function that these files call when the application loads them, at any time and from any copy of the package.
 */
const loadedGlobal = "__holdfast_pg";

type Method = (this: unknown, ...values: unknown[]) => unknown;
type Named = Record<string, Method>;

/**
 * Records the application's `pg` queries as spans of the current request. The package is no dependency and publishes no
 * events, so a line at the end of its files reports that they are loaded. The build adds it; where Node loads the
 * package itself, a loader hook does. Must be called before the application is loaded.
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
    // A pool has both; its queries go to a client, where they are recorded.
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
 * Runs the callback in the context of the request that waits for the connection, not of the request that released it.
 */
function keepsItsRequest(original: Method): Method {
  return function (this: unknown, taken, ...others) {
    const mine = typeof taken === "function" ? AsyncResource.bind(taken as () => void) : taken;
    return Reflect.apply(original, this, [mine, ...others]);
  };
}

/**
 * Arguments of `query`: a text or an object with one, optional values, an optional callback. Without a callback it
 * returns a promise.
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
    // Returns the derived promise, so that its rejection stays visible.
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

/** Cursors and streams run while they are read; they are not measured. */
function textOf(query: unknown): string | undefined {
  if (typeof query === "string") return query;
  if (typeof query !== "object" || query === null || "submit" in query) return undefined;
  return "text" in query && typeof query.text === "string" ? query.text : undefined;
}

function endQuery(span: Span, failed: boolean, nowMs: number): void {
  span.endMs = nowMs;
  if (failed) span.status = "internal_error";
}
