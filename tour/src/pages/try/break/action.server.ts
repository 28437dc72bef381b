import { action } from "holdfast/server";

export const actions = {
  pay: action({}, () => {
    throw new Error("The bank has closed the line.");
  }),
};
