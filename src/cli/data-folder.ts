import path from "node:path";

/** The data folder: as given, by `HOLDFAST_DATA`, or in a folder, which is the current one for a server. */
export function applicationData(given: string | undefined, folder = "."): string {
  return path.resolve(given ?? process.env.HOLDFAST_DATA ?? path.join(folder, ".holdfast"));
}
