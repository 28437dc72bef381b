import { action } from "holdfast/server";

/** The same work, which is nothing, with and without a copy on disk. */
export const actions = {
  plain: action({}, () => ({ number: 1 })),
  keeping: action({ keeps: true }, () => ({ number: 1 })),
};
