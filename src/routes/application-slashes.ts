import type { Slashes } from "./trailing-slash.ts";

/**
 * How addresses end with a slash. The build of an application with `trailingSlash: "always"` replaces this module, on
 * both sides. For all others it is null, and the bundler removes every branch that depends on it.
 */
export const slashes: Slashes | null = null;
