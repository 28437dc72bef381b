import { HoldfastError } from "#errors";

/**
 * Errors of moving between pages. A list of its own, because it comes when the page is alive; the others are in
 * `../errors.ts`.
 */
export const navigationFailed = (to: string, reason: string): HoldfastError =>
  new HoldfastError(
    "navigation-failed",
    `${to} could not be shown (${reason}).`,
    "Look for what keeps the server from answering it, or for redirects in a circle.",
  );
