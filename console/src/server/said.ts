import type { Cookies } from "holdfast/server";
import type { Outcome } from "./triage.ts";

const cookie = "__Host-holdfast-said";
/** Long enough for the page that follows; whoever comes later has no use for it. */
const keptSeconds = 20;
/** Browsers keep 4 kB of a cookie; a longer list is changed as well, but cannot be undone without scripts. */
const mostNumbers = 200;

/**
 * With scripts the answer to an action carries what was done. Without them the browser is led back to the page, and what was done would be forgotten on
 * the way: a cookie brings it along, once.
 */
export function keepSaid({ headers, cookies }: { headers: Headers; cookies: Cookies }, outcome: Outcome): Outcome {
  if (headers.get("sec-fetch-mode") !== "navigate") return outcome;
  const { said, undo = [] } = outcome;
  const kept = [said.slice(0, 200), ...(undo.length <= mostNumbers ? undo : [])];
  cookies.set(cookie, encodeURIComponent(JSON.stringify(kept)), { maxAge: keptSeconds });
  return outcome;
}

/** What was done on the way here, if anything was; it is told this once. */
export function takeSaid(cookies: Cookies): Outcome | undefined {
  const kept = cookies.get(cookie);
  if (kept === undefined) return undefined;
  cookies.delete(cookie);
  const [said, ...numbers] = readKept(kept);
  if (typeof said !== "string") return undefined;
  const undo = numbers.filter((number) => typeof number === "number");
  return undo.length > 0 ? { said, undo } : { said };
}

function readKept(text: string): unknown[] {
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(text));
    return Array.isArray(kept) ? kept : [];
  } catch {
    // Somebody else has written it; what was done is told by the page itself.
    return [];
  }
}
