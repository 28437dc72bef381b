import { HoldfastError } from "#errors";

/** What can stop a build. Each says which file, and what to change in it. */
export const buildErrors = {
  noPages: (folder: string): HoldfastError =>
    new HoldfastError(
      "no-pages",
      `There are no page files in ${folder}.`,
      "Write the first page as src/pages/index.tsx.",
    ),

  pageOutsideOutput: (file: string): HoldfastError =>
    new HoldfastError(
      "page-without-chunk",
      `The browser build has no module for ${file}.`,
      "If a plugin of your vite.config changes how files are split, take it out; otherwise please report this.",
    ),
} as const;
