import { action, load } from "holdfast/server";

let changes = 0;

export const data = load("/try/ahead", () => ({ changes }));

export const actions = {
  /** Whatever an action does, pages that were fetched before it may be wrong now. */
  change: action({}, () => {
    changes += 1;
  }),
};
