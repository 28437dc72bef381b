import { load } from "holdfast/server";

/** An error to try. The visitor sees its digest; what it says is for the console alone. */
export const data = load("/break", (): { never: true } => {
  throw new Error("This page breaks on purpose.");
});
