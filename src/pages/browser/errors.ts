import { HoldfastError } from "#errors";

/** Errors of moving between pages. A list of its own, because it comes when the page is alive; the others are in `../errors.ts`. */
export const navigationFailed = (to: string, reason: string): HoldfastError =>
  new HoldfastError(
    "navigation-failed",
    `${to} could not be shown (${reason}), and loading it as a whole was tried too often just now.`,
    "Look for what keeps the server from answering this page, or its files from being loaded.",
  );

export const redirectsInCircle = (to: string): HoldfastError =>
  new HoldfastError(
    "redirects-in-circle",
    `${to} could not be shown: its pages redirect to each other.`,
    "Look for the load or guard that redirects there, and for the one that redirects back.",
  );
