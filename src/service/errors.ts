import { HoldfastError } from "#errors";

/** Every error this part can raise. */
export const serviceErrors = {
  folderInUse: (folder: string, owner: string): HoldfastError =>
    new HoldfastError(
      "service-folder-in-use",
      `The data folder ${folder} is in use by ${owner}.`,
      "Stop that service first, or give this one a data folder of its own.",
    ),
} as const;
