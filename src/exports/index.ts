/**
 * `holdfast`: what pages and components use, in the browser and on the server.
 * @module
 */
/** An error of the framework itself: `code` never changes, `whatToDo` says how to mend it. */
export { HoldfastError } from "#errors";
