import * as english from "./english.ts";

/** The names of all texts. For the server: the browser has no list of them. */
export const textNames: readonly string[] = Object.keys(english);
