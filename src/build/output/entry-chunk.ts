import type { Rolldown } from "vite";
import { browserEntry } from "../virtual-modules.ts";

/**
 * Code that several pages share would become small chunks, each one more request on a first load. Small modules move
 * into the entry instead, which every visitor loads anyway; large ones keep their own chunk and load with those pages
 * only. 10 kB of source are about 3 kB on the wire: less than the cost of a request on a slow line.
 */
const smallSourceBytes = 10_000;

export const entryChunkName = "entry";

type ModuleInfo = Pick<Rolldown.ModuleInfo, "importedIds" | "dynamicallyImportedIds" | "code">;
type FindModule = (id: string) => ModuleInfo | null;

/** A code-splitting group: everything that the entry imports, and small modules that at least two pages share. */
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
  const sharers = new Map<string, number>();
  for (const page of pages) for (const id of closure(find, page, chosen)) sharers.set(id, (sharers.get(id) ?? 0) + 1);

  for (const [id, count] of sharers) {
    const whole = closure(find, id, chosen);
    const bytes = [...whole].reduce((sum, one) => sum + (find(one)?.code?.length ?? 0), 0);
    if (count > 1 && bytes <= smallSourceBytes && !pages.includes(id)) for (const one of whole) chosen.add(one);
  }
  return chosen;
}

/** Collects a module and its static imports, except those in `known`. */
function closure(find: FindModule, id: string, known: ReadonlySet<string>, into = new Set<string>()): Set<string> {
  if (known.has(id) || into.has(id)) return into;
  into.add(id);
  for (const imported of find(id)?.importedIds ?? []) closure(find, imported, known, into);
  return into;
}
