import type { Cookies } from "holdfast/server";

/** What an action of the console has done. */
export interface Said {
  said: string;
  /** Numbers of the issues to which it could be undone; absent where there is nothing to undo. */
  undo?: readonly number[];
  /** To be handed on; it is shown this once. */
  link?: string;
}

const cookie = "__Host-holdfast-said";
/** Long enough for the page that follows; whoever comes later has no use for it. */
const keptSeconds = 20;
/** Browsers keep 4 kB of a cookie; a longer list is changed as well, but cannot be undone without scripts. */
const mostNumbers = 200;

/**
 * With scripts the answer to an action carries what was done. Without them the browser is led back to the page, and what was done would be forgotten on
 * the way: a cookie brings it along, once.
 */
export function keepSaid({ headers, cookies }: { headers: Headers; cookies: Cookies }, outcome: Said): Said {
  if (headers.get("sec-fetch-mode") !== "navigate") return outcome;
  const { said, undo = [], link } = outcome;
  const kept = { said: said.slice(0, 300), link, ...(undo.length <= mostNumbers && { undo }) };
  cookies.set(cookie, encodeURIComponent(JSON.stringify(kept)), { maxAge: keptSeconds });
  return outcome;
}

/** What was done on the way to this page, if anything was; it is told this once. For the hook, since a load may not take a cookie back any more. */
export function takeSaid({ headers, cookies }: { headers: Headers; cookies: Cookies }): Said | undefined {
  const kept = headers.get("sec-fetch-mode") === "navigate" ? cookies.get(cookie) : undefined;
  if (kept === undefined) return undefined;
  cookies.delete(cookie);
  const { said, undo, link } = readKept(kept);
  if (typeof said !== "string") return undefined;
  const numbers = Array.isArray(undo) ? undo.filter((number): number is number => typeof number === "number") : [];
  return { said, ...(numbers.length > 0 && { undo: numbers }), ...(typeof link === "string" && { link }) };
}

function readKept(text: string): { said?: unknown; undo?: unknown; link?: unknown } {
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(text));
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    // Somebody else has written it; what was done is told by the page itself.
    return {};
  }
}
