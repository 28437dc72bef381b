import type { NavigationTarget } from "./navigation/navigation-events.ts";
import { withoutHash } from "./page-answer.ts";

/** Hands the target, with search and hash, to the browser. */
export function leaveTo({ to, how }: NavigationTarget): void {
  if (withoutHash(to) === withoutHash(location.href)) {
    // To the browser an address that differs in its hash alone is a place on this page, so a reload is needed.
    history.replaceState(history.state, "", to);
    location.reload();
  } else if (how === "replace") location.replace(to);
  else location.assign(to);
}

/** The host answers this path as long as its process lives. */
const healthPath = "/healthz";

/** Whether the own origin answers at all. Any answer counts. */
export async function isReachable(timeoutMs: number): Promise<boolean> {
  try {
    await fetch(healthPath, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(timeoutMs) });
    return true;
  } catch {
    return false; // refused, lost or too slow: all the same to the visitor
  }
}
