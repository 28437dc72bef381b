import type { Load } from "./author/define.ts";
import { checkTags } from "./author/invalidate.ts";
import type { Visit } from "./visit.ts";

/** The tags of a load for these parameters; undefined if it has none. */
export function tagsOf({ tags }: Load, params: unknown): readonly string[] | undefined {
  return tags && checkTags(typeof tags === "function" ? tags(params as never) : tags);
}

/** What the page of a visit depends on: tags and path. Undefined if one of its loads has no tags, or none loads. */
export function dependsOf(visit: Visit): readonly string[] | undefined {
  const loads = visit.route.loads.filter((load) => load !== undefined);
  if (loads.length === 0 || loads.some(({ tags }) => !tags)) return undefined;
  return [...new Set(loads.flatMap((load) => tagsOf(load, visit.ownParams) ?? [])), pathWithoutLanguage(visit)];
}

/** The path of a page, without its language. */
export function pathWithoutLanguage({ request: { path, language } }: Visit): string {
  return language?.path ?? path;
}
