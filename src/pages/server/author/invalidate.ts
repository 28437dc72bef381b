import * as pageErrors from "../../errors.ts";
import { invalidations } from "../cache/invalidations.ts";
import { visitScope } from "./visit-scope.ts";

/** Names of one load, and of one request. A list of records has one tag, not one for each of them. */
const tagsAtMost = 100;
/** Longer than any name with an id in it. */
const tagLength = 200;

/**
 * Says what an action has changed: tags of loads, or paths of pages, which also stand for those below them. Everything
 * else counts as unchanged: it is not loaded again, in this tab and in others. Without a call everything counts as
 * changed, and so it does when the action fails or sets a cookie.
 *
 * Cached pages that depend on one of the names are removed, in all processes. For that, API routes, schedules and other
 * code of the server call it too.
 *
 * @example invalidate("orders", `order:${params.id}`);
 */
export function invalidate(...names: readonly [string, ...string[]]): void {
  const scope = visitScope.getStore();
  if (!scope && !invalidations.isConnected) throw pageErrors.invalidateOutsideRequest();
  checkNames(names);
  scope?.invalidate(names);
  invalidations.invalidate(names);
}

/** Tags and paths. */
export function checkNames(names: readonly string[]): void {
  for (const name of names) checkName(name);
}

/** The tags of a load. */
export function checkTags(tags: readonly string[]): readonly string[] {
  if (tags.length > tagsAtMost) throw pageErrors.tooManyTags(tags.length, tagsAtMost);
  for (const tag of tags) if (checkName(tag).startsWith("/")) throw pageErrors.wrongTag(tag, tagLength);
  return tags;
}

function checkName(name: string): string {
  if (typeof name !== "string" || name === "" || name.length > tagLength) throw pageErrors.wrongTag(name, tagLength);
  return name;
}
