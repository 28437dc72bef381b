import { load } from "holdfast/server";
import { ratedBooks } from "../../server/ratings.ts";

export const data = load("/try/stars", { tags: ["stars"] }, () => ({ books: ratedBooks() }));
