import { isObject } from "#protocol";
import type { FeedbackFacts } from "../filed.ts";

/** Reads the stored form. Rows of earlier versions have none. */
export function readFeedbackFacts(json: string | null): FeedbackFacts {
  const value: unknown = json === null ? undefined : JSON.parse(json);
  // Written by this service only.
  return isObject(value) ? value : {};
}
