import { useDeferredValue } from "react";

/** For values that never change. */
export const never = (): (() => void) => () => undefined;

/**
 * False in the document, true after hydration: for controls that need scripts. They follow in a render of their own, in
 * slices, because hydration is the longest work of a page already.
 */
export function useAlive(): boolean {
  return useDeferredValue(true, false);
}
