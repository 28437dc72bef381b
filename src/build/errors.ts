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
  noManifest: (folder: string): HoldfastError =>
    new HoldfastError(
      "build-went-elsewhere",
      `The build has finished, but there is no manifest in ${folder}.`,
      "If your vite.config gives holdfast() another outDir, give the same one to the command.",
    ),

  outputNotOurs: (folder: string): HoldfastError =>
    new HoldfastError(
      "output-folder-in-use",
      `${folder} is to be replaced by the build, but holds something that no build of Holdfast has written.`,
      "Empty the folder, or choose another outDir.",
    ),

  publicFileHidesRoute: (path: string, file: string, source: string): HoldfastError =>
    new HoldfastError(
      "public-file-hides-route",
      `${file} has the same address, ${path}, as the route src/pages/${source}.`,
      "Rename or remove one of them.",
    ),
} as const;
