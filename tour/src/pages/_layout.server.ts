import { load } from "holdfast/server";
import { otherFrameWords } from "../server/frame-words.ts";

export const data = load(({ lang }) => ({ words: otherFrameWords[lang] }));
