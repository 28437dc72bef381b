import { load } from "holdfast/server";

export const data = load("/try/break/load", () => {
  throw new Error("The orders database does not answer.");
});
