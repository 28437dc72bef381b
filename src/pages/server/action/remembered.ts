import { readTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { Visit } from "../visit.ts";
import type { Ended } from "./ended.ts";

/** Version of the stored format. Outcomes of another version are ignored. */
const version = 1;

/** Serializes an outcome for storage: the text of its line, and its cookies. */
export function storedText({ slot, text, ran, cookies }: Ended): string {
  return JSON.stringify([version, slot, ran, [...cookies], text]);
}

/** Undefined for an outcome that another build has written in another format. */
export function readStored(stored: string): Ended | undefined {
  const [kind, slot, ran, cookies, text] = JSON.parse(stored) as [number, string, boolean, [string, string][], string];
  if (kind !== version) return undefined;
  // Sealed by this code, so its shape is certain.
  return { slot, ran, text, cookies: new Map(cookies), outcome: readTagged(text) as SubmissionOutcome };
}

/** Sets the cookies of the response that the visitor did not get: without them a sign-in would have no effect. */
export function restoreCookies({ request }: Visit, { cookies }: Ended): void {
  for (const [name, line] of cookies) request.cookies.restore(name, line);
}
