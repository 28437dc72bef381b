/**
 * What a page needs once it is alive: going from page to page, and saying that something broke. The build puts it into
 * one file with what reports need then, so that it is one request, made when the browser has nothing else to do.
 */
export { browserLimits } from "../limits.ts";
export { BuiltInPage } from "../react/built-in-page.tsx";
export { forwardToListeners } from "./forward-to-listeners.ts";
export { Tab } from "./tab.ts";
