import { HoldfastError } from "#errors";

/**
 * Errors of navigations. They are a list of their own because this code loads after hydration; the others are in
 * `../errors.ts`.
 */
export const navigationFailed = (to: string, reason: string): HoldfastError =>
  new HoldfastError(
    "navigation-failed",
    `${to} could not be shown (${reason}).`,
    "Look for what keeps the server from answering it, or for redirects in a circle.",
  );
