import path from "node:path";
import { removeUploadsOf } from "#pages";

/** Where files of forms are while they are used. */
export function uploadsIn(dataFolder: string): string {
  return path.join(dataFolder, "uploads");
}

/** Removes the uploads of a process that has ended. */
export function removeUploads(dataFolder: string, pid: number): Promise<void> {
  return removeUploadsOf(uploadsIn(dataFolder), pid);
}
