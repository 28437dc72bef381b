import type { LoadKey } from "../page-data.ts";
import { writeTagged } from "../tagged-json.ts";
import type { Load, Locals } from "./author/define.ts";
import { Outcome } from "./author/outcome.ts";
import type { WrittenValue } from "./decision.ts";
import { tagsOf } from "./depends.ts";
import { isA } from "./is-a.ts";
import { type KeyedLoad, openKeyed } from "./load-keys.ts";
import { chain, chainAll, type MaybePromise } from "./maybe-promise.ts";
import type { PageRequest } from "./page-request.ts";
import { trackContext } from "./tracked-context.ts";
import { SearchDoesNotFit } from "./typed-search.ts";
import { contextOf, runStep, type Visit } from "./visit.ts";

export type LoadResult = { kind: "loaded"; value: unknown; written: WrittenValue } | { kind: "threw"; thrown: unknown };

/** Runs the first `count` loads of the route in parallel, each bounded by the time limit. */
export function runLoads(visit: Visit, locals: Locals, count: number): MaybePromise<readonly LoadResult[]> {
  const loads = visit.route.loads.slice(0, count);
  if (loads.every((load) => load === undefined)) return loads.map(() => nothingToLoad);
  return chainAll(loads.map((load, index) => (load ? runLoad(visit, locals, load, index) : nothingToLoad)));
}

const nothingToLoad: LoadResult = { kind: "loaded", value: undefined, written: { text: '["~u"]', late: [] } };

function runLoad(visit: Visit, locals: Locals, load: Load, index: number): MaybePromise<LoadResult> {
  try {
    // Wrong tags fail as part of their load.
    const tags = tagsOf(load, visit.ownParams);
    const params = index < visit.route.folders.length ? visit.params : visit.ownParams;
    const name = loadName(visit, index);
    const keyed = tags && openKeyed({ visit, locals, load, name, index, params, tags });
    if (keyed?.same) return sameAsBefore(keyed.same);
    const search = load.search && searchOf(visit, load);
    const value = chain(search, (read) => {
      // This context has the types that `load` declares: its route's parameters and its schema's output.
      const context = contextOf(visit, locals, { params, search: read });
      const tracked = (keyed ? trackContext(context, keyed.note) : context) as never;
      return runStep(visit, "load", name, () => load.run(tracked));
    });
    const result = value instanceof Promise ? settle(visit, value) : writeLoaded(visit, value);
    return keyed ? chain(result, (one) => withKey(one, keyed)) : result;
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

function sameAsBefore(key: LoadKey): LoadResult {
  return { kind: "loaded", value: undefined, written: { text: "null", late: [], key, isSame: true } };
}

/** Late parts end with their page, so their load runs for the next one. */
function withKey(result: LoadResult, keyed: KeyedLoad): LoadResult {
  if (result.kind !== "loaded" || result.written.late.length > 0) return result;
  return { ...result, written: { ...result.written, key: keyed.key() } };
}

async function settle(visit: Visit, value: Promise<unknown>): Promise<LoadResult> {
  try {
    return writeLoaded(visit, await value);
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

/** Numbers are assigned while writing, which is synchronous: those between before and after belong to this value. */
function writeLoaded(visit: Visit, value: unknown): LoadResult {
  const before = visit.lateCount;
  const text = writeTagged(value, visit.site.limits, (promise) => visit.late.keep(promise));
  const count = visit.lateCount - before;
  const late = count === 0 ? none : Array.from({ length: count }, (_, at) => before + at + 1);
  return { kind: "loaded", value, written: { text, late } };
}

const none: readonly number[] = [];

function loadName(visit: Visit, index: number): string {
  const folder = visit.route.folders[index];
  if (folder === undefined) return visit.route.id ?? "";
  return `layout ${visit.site.application.parts.table.folders[folder]?.id ?? ""}`;
}

/** A redirect takes precedence; otherwise the outermost failure. */
export function decisiveFailure(results: readonly LoadResult[]): { thrown: unknown; index: number } | undefined {
  let worst: { thrown: unknown; index: number } | undefined;
  for (const [index, result] of results.entries()) {
    if (result.kind === "loaded") continue;
    if (isA(result.thrown, Outcome) && result.thrown.ends.kind === "redirect") return { thrown: result.thrown, index };
    worst ??= { thrown: result.thrown, index };
  }
  return worst;
}

/** The schema that the page exports is the same for its load, and runs once. */
async function searchOf(visit: Visit, load: Load): Promise<unknown> {
  if (load.search !== visit.route.search) return readSearch(load, visit.request);
  return (await visit.typedAddress()).search;
}

/** What the page's schemas have read, as one more value of its data. */
export async function loadTypedAddress(visit: Visit): Promise<LoadResult> {
  return settle(visit, visit.typedAddress());
}

async function readSearch(load: Load, request: PageRequest): Promise<unknown> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of request.url.searchParams) {
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else values.set(name, [before, value]);
  }
  values.delete("__proto__");
  const result = await load.search?.["~standard"].validate(Object.fromEntries(values));
  if (!result || result.issues) throw new SearchDoesNotFit();
  return result.value;
}
