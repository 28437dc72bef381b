import { action, load } from "holdfast/server";

let changes = 0;

export const data = load("/try/ahead", () => ({ changes }));

export const actions = {
  /** After an action, pages that were prefetched before it may be outdated. */
  change: action({}, () => {
    changes += 1;
  }),
};
