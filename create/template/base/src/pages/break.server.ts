import { load } from "holdfast/server";

/** An error to try. The visitor sees its digest; its message appears only in the console. */
export const data = load("/break", (): { never: true } => {
  throw new Error("This page breaks on purpose.");
});
