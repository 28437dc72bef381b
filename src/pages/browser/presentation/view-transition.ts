/** Browsers capture a page in some milliseconds. */
const captureMs = 200;

const presses = ["pointerdown", "keydown"] as const;

/** Of the transition that is running. */
let skipRunning: (() => void) | undefined;

/**
 * Changes the page, in a view transition if that is wanted, the browser has them and the visitor likes motion. A
 * transition is decoration: if the browser takes long to capture the old page, the new one is shown without it; the
 * next change ends it; and so does a press, because the page does not react to the pointer while it is animated.
 * `change` may be called twice.
 */
export function changeIn(change: () => void, wanted: boolean): void {
  skipRunning?.();
  if (!wanted || !("startViewTransition" in document) || matchMedia("(prefers-reduced-motion:reduce)").matches)
    return change();
  const transition = document.startViewTransition(change);
  const skip = (): void => transition.skipTransition();
  const timer = setTimeout(() => {
    change();
    skip();
  }, captureMs);
  const end = (): void => {
    if (skipRunning === skip) skipRunning = undefined;
    for (const type of presses) removeEventListener(type, skip);
  };
  skipRunning = skip;
  for (const type of presses) addEventListener(type, skip);
  // The browser rejects them if it skips the transition, as in a hidden tab.
  transition.updateCallbackDone.then(() => clearTimeout(timer), nothing);
  transition.ready.catch(nothing);
  transition.finished.then(end, end);
}

function nothing(): void {
  // Nothing to do.
}
