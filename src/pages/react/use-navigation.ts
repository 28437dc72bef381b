import { useSyncExternalStore } from "react";
import { type NavigationSnapshot, pendingState } from "./browser-runtime.ts";

const idle: NavigationSnapshot = { state: "idle" };

export type Navigation = {
  state: NavigationSnapshot["state"];
  /** Target of the pending navigation or form. */
  target: string | undefined;
  /** The form data, while a form is being sent: for optimistic rendering. */
  form: FormData | undefined;
  /** Milliseconds since the visitor's action; 0 when nothing is pending. */
  elapsed(): number;
};

/**
 * Returns the pending navigation, to show it inside the page. The bar at the top of the window needs no hook.
 *
 * @example const { state } = useNavigation(); return <main data-dim={state === "loading"}>…</main>
 */
export function useNavigation(): Navigation {
  const snapshot = useSyncExternalStore(pendingState.subscribe, pendingState.read, nothingPending);
  return toNavigation(snapshot);
}

function toNavigation(snapshot: NavigationSnapshot): Navigation {
  if (snapshot.state === "idle") return { state: "idle", target: undefined, form: undefined, elapsed: () => 0 };
  const { state, target, form, startedAt } = snapshot;
  return { state, target, form, elapsed: () => performance.now() - startedAt };
}

function nothingPending(): NavigationSnapshot {
  return idle;
}
