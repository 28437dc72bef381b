/** All that a process with cached pages needs: one module, so that it is loaded at once. */
export { decideCached } from "./decide-cached.ts";
export { findHit, knownHit, sendHit } from "./send-hit.ts";
