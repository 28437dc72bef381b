import { useSyncExternalStore } from "react";

const never = (): (() => void) => () => undefined;

/** False in the document, true once scripts run: for controls that do nothing without them. */
export function useAlive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
