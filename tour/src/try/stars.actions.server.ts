import { action, invalidate } from "holdfast/server";
import { z } from "zod";
import { rateBook } from "../server/ratings.ts";

const rated = z.object({ book: z.string(), stars: z.coerce.number().int().min(0).max(5) });

/** Actions of a component: every page that shows it can post them. */
export const actions = {
  rate: action({ input: rated }, async ({ input: { book, stars }, invalid }) => {
    // Slow on purpose, so that the value is seen before the answer.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (stars === 0) invalid({ stars: "The server refuses zero stars." });
    if (!rateBook(book, stars)) invalid({ book: "There is no such book." });
    invalidate("stars");
  }),
};
