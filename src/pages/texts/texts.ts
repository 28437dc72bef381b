import type * as english from "./english.ts";

/** The texts that the framework shows to visitors, in one language. */
export type Texts = Readonly<Record<keyof typeof english, string>>;
