import { load } from "holdfast/server";
import { ferryWords } from "../../languages/ferry-words.ts";
import { ferriesIn } from "../../server/ferries.ts";

export const data = load("/languages", ({ lang }) => ({ words: ferryWords[lang], ferries: ferriesIn(lang) }));
