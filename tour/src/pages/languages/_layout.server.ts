import { load } from "holdfast/server";
import { ferryWords } from "../../languages/ferry-words.ts";

export const data = load(({ lang }) => ({ words: ferryWords[lang] }));
