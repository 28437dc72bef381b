import type { Rolldown } from "vite";

/**
 * Without comments and spaces, and in ASCII alone: a start reads less, and Node keeps a byte for each character instead
 * of two. Names stay as they are, because stack traces contain them. For the servers of applications and the bundles of
 * the package's own start.
 */
export const quickToRead: Rolldown.OutputOptions = {
  comments: { legal: true, jsdoc: false, annotation: false },
  minify: { compress: false, mangle: false, codegen: { asciiOnly: true } },
};
