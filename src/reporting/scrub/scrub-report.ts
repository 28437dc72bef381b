import type { JsonObject } from "#protocol";
import type { Scrub } from "./scrub.ts";

/** Returns the payload of an item without secrets. A mail address in the details about the visitor is intended. */
export function scrubReport({ user, ...rest }: JsonObject, scrub: Scrub): JsonObject {
  return { ...(scrub.value(rest) as JsonObject), ...(user !== undefined && { user: scrub.person(user) }) };
}
