import type { Rolldown } from "vite";
import { browserEntry } from "../virtual-modules.ts";

/**
 * Code that several pages share would become small chunks of its own, each one more request on a first load. What is
 * small goes into the entry instead, which every visitor has anyway; what is large keeps its own chunk and is loaded by
 * those pages alone. Ten kilobytes of source are about three on the wire: less than the cost of a request on a slow
 * line.
 */
const smallSourceBytes = 10_000;

export const entryChunkName = "entry";

type ModuleInfo = Pick<Rolldown.ModuleInfo, "importedIds" | "dynamicallyImportedIds" | "code">;
type FindModule = (id: string) => ModuleInfo | null;

/** A code-splitting group: everything the entry imports, and the small things that at least two pages share. */
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

/** A module and all that it imports statically, without what is `known` already. */
function closure(find: FindModule, id: string, known: ReadonlySet<string>, into = new Set<string>()): Set<string> {
  if (known.has(id) || into.has(id)) return into;
  into.add(id);
  for (const imported of find(id)?.importedIds ?? []) closure(find, imported, known, into);
  return into;
}
