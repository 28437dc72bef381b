import { load } from "holdfast/server";

export const data = load("/try/break/error-page", () => {
  throw new Error("This came first.");
});
