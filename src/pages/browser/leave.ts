import { withoutHash } from "./data/page-answer.ts";
import type { NavigationTarget } from "./navigation/navigation-events.ts";

/** Loads the target as a document, with search and hash. */
export function leaveTo({ to, how }: NavigationTarget): void {
  if (withoutHash(to) === withoutHash(location.href)) {
    // For an address that differs only in its hash the browser would scroll instead of loading, so this reloads.
    history.replaceState(history.state, "", to);
    location.reload();
  } else if (how === "replace") location.replace(to);
  else location.assign(to);
}

/** The host responds to this path as long as its process runs. */
const healthPath = "/healthz";

/** Whether the own origin responds at all. Any response counts. */
export async function isReachable(timeoutMs: number): Promise<boolean> {
  try {
    await fetch(healthPath, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(timeoutMs) });
    return true;
  } catch {
    return false; // refused, lost or too slow: the same to the visitor
  }
}
