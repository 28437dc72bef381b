import type { Rolldown } from "vite";
import { slashed } from "../application-files.ts";
import { pagesOwnModules } from "../own-package.ts";
import { browserEntry } from "../virtual-modules.ts";

/**
 * Code that the same pages share would become a small chunk, one more request on a first load. It moves into the entry
 * instead, which every visitor loads anyway; if it is large in all, it keeps its own chunk and loads with those pages
 * only. 10 kB of source are about 3 kB on the wire: less than the cost of a request on a slow line.
 */
const smallSourceBytes = 10_000;

const ofPages: ReadonlySet<string> = new Set(pagesOwnModules.map(slashed));

export const entryChunkName = "entry";

type ModuleInfo = Pick<Rolldown.ModuleInfo, "importedIds" | "dynamicallyImportedIds" | "code">;
type FindModule = (id: string) => ModuleInfo | null;

/** A code-splitting group: everything that the entry imports, and what at least two pages share if it is small. */
export function entryGroup(): Rolldown.CodeSplittingGroup {
  let chosen: ReadonlySet<string> | undefined;
  return {
    debugName: entryChunkName,
    name: (id, context) => {
      chosen ??= chooseEntryModules((one) => context.getModuleInfo(one));
      return chosen.has(id) ? entryChunkName : null;
    },
  };
}

export function chooseEntryModules(find: FindModule): Set<string> {
  const entry = `\0${browserEntry}`;
  const chosen = closure(find, entry, new Set());
  const pages = find(entry)?.dynamicallyImportedIds ?? [];
  for (const ids of sharedByPages(find, pages, chosen)) {
    const whole = new Set<string>();
    for (const id of ids) closure(find, id, chosen, whole);
    const counted = [...whole].filter((one) => !ofPages.has(slashed(one)));
    const bytes = counted.reduce((sum, one) => sum + (find(one)?.code?.length ?? 0), 0);
    if (bytes <= smallSourceBytes) for (const one of whole) chosen.add(one);
  }
  return new Set([...chosen].filter((id) => !ofPages.has(slashed(id))));
}

/**
 * Modules by the set of pages that share them. Those of most pages come first: others import them, and are small only
 * if these are in the entry.
 */
function sharedByPages(find: FindModule, pages: readonly string[], known: ReadonlySet<string>): string[][] {
  const sharers = new Map<string, number[]>();
  pages.forEach((page, index) => {
    for (const id of closure(find, page, known)) sharers.set(id, [...(sharers.get(id) ?? []), index]);
  });
  const count = (id: string | undefined): number => sharers.get(id ?? "")?.length ?? 0;
  const shared = [...sharers.keys()].filter((id) => count(id) > 1 && !pages.includes(id));
  const groups = [...Map.groupBy(shared, (id) => String(sharers.get(id))).values()];
  return groups.sort(([one], [other]) => count(other) - count(one));
}

/** Collects a module and its static imports, except those in `known`. */
function closure(find: FindModule, id: string, known: ReadonlySet<string>, into = new Set<string>()): Set<string> {
  if (known.has(id) || into.has(id)) return into;
  into.add(id);
  for (const imported of find(id)?.importedIds ?? []) closure(find, imported, known, into);
  return into;
}
