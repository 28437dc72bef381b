import { readTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { Visit } from "../visit.ts";
import type { Ended } from "./run-action.ts";

/** The shape in which outcomes are kept; another one is as good as none. */
const version = 1;

/** What an outcome is kept as: the text of its line, and the cookies that went with it. */
export function storedText({ slot, text, ran, cookies }: Ended): string {
  return JSON.stringify([version, slot, ran, [...cookies], text]);
}

/** Undefined for what another build has written in another shape. */
export function readStored(stored: string): Ended | undefined {
  const [kind, slot, ran, cookies, text] = JSON.parse(stored) as [number, string, boolean, [string, string][], string];
  if (kind !== version) return undefined;
  // Sealed by us, and with it its shape.
  return { slot, ran, text, cookies: new Map(cookies), outcome: readTagged(text) as SubmissionOutcome };
}

/** The answer that the visitor did not get had these cookies: without them a sign-in would not be one. */
export function restoreCookies({ request }: Visit, { cookies }: Ended): void {
  for (const [name, line] of cookies) request.cookies.restore(name, line);
}
