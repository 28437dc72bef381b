import { useEffect, useState } from "react";
import { pendingState } from "./browser-runtime.ts";

/**
 * Keeps the visitor on the page while something would be lost. Returns `leave` and `stay` after an attempt to leave,
 * otherwise undefined. Closing the tab shows the browser's own dialog.
 *
 * @example
 * const blocked = useBlocker(dirty);
 * return blocked && <dialog open>… <button onClick={blocked.leave}>Leave</button></dialog>
 */
export function useBlocker(when: boolean): { leave: () => void; stay: () => void } | undefined {
  const [leave, setLeave] = useState<(() => void) | undefined>();
  useEffect(() => {
    if (!when) return;
    const blocker = (go: () => void): void => setLeave(() => go);
    pendingState.blockers.add(blocker);
    // Only while there is something to lose: the listener prevents the back/forward cache.
    addEventListener("beforeunload", confirmFirst);
    return () => {
      pendingState.blockers.delete(blocker);
      removeEventListener("beforeunload", confirmFirst);
    };
  }, [when]);
  if (!when || !leave) return undefined;
  const stay = (): void => setLeave(undefined);
  return {
    stay,
    leave: () => {
      stay();
      leave();
    },
  };
}

function confirmFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
