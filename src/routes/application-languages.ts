import type { LanguageAddresses } from "./language-addresses.ts";

/**
 * The languages of the application. The build of an application with `languages` replaces this module, on both sides.
 * For all others it is null, and the bundler removes every branch that depends on it.
 */
export const languages: LanguageAddresses | null = null;
