import { checkTags } from "../author/invalidate.ts";
import { pathWithoutLanguage, tagsOf } from "../depends.ts";
import type { Visit } from "../visit.ts";
import type { CachePolicy } from "./policy.ts";

/** The tags of a cached page and of its loads, and its path. */
export function pageDepends(visit: Visit, { tags }: CachePolicy): readonly string[] {
  const { route, ownParams, lang } = visit;
  const own = typeof tags === "function" ? tags({ params: ownParams as never, lang }) : tags;
  const ofLoads = route.loads.flatMap((load) => (load && tagsOf(load, ownParams)) ?? []);
  return [...new Set([...checkTags(own), ...ofLoads, pathWithoutLanguage(visit)])];
}
