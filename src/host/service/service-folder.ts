import path from "node:path";

/** The folder of the service in the application's data folder. */
export function serviceFolderOf(dataFolder: string): string {
  return path.join(dataFolder, "data");
}
