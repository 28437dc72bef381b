/**
 * Code that loads after hydration: navigation and error reporting. The build bundles it into one file with the
 * reporting code, so that it is one request, made when the browser is idle.
 */
export { browserLimits as limits } from "../limits.ts";
export { forwardToListeners } from "./forward-to-listeners.ts";
export { Tab } from "./tab.ts";
