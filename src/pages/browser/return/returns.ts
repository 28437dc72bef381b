/**
 * What a visitor left in an earlier visit. Loaded with a page whose actions have `keeps`, and where something is
 * stored: most visits load none of it.
 */
export { comeBack } from "./come-back.ts";
export { noteSubmission } from "./unsent-submissions.ts";
