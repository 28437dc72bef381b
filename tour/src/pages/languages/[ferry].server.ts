import { load, notFound } from "holdfast/server";
import { ferryWords } from "../../languages/ferry-words.ts";
import { ferriesIn } from "../../server/ferries.ts";

export const data = load("/languages/[ferry]", ({ lang, params }) => {
  if (params.ferry === "storm") throw new Error("The ferry cannot leave the harbour: storm.");
  const ferry = ferriesIn(lang).find(({ id }) => id === params.ferry);
  return ferry ? { words: ferryWords[lang], ferry } : notFound();
});
