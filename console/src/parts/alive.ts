import { useSyncExternalStore } from "react";

const never = (): (() => void) => () => undefined;

/** False in the document, true after hydration: for controls that need scripts. */
export function useAlive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
