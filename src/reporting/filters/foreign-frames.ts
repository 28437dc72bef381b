import type { WireEvent } from "../wire.ts";

/**
 * The files of an error of which no frame belongs to the application, as with extensions and scripts of other sites.
 * Frames of the engine do not count, and an error without frames may be the application's.
 */
export function foreignFiles(event: WireEvent, isOwnFile: (file: string) => boolean): string[] {
  const files = (event.exception?.values ?? [])
    .flatMap(({ stacktrace }) => stacktrace?.frames ?? [])
    .map(({ filename }) => filename)
    .filter((file) => file !== "<anonymous>" && file !== "[native code]");
  return files.some(isOwnFile) ? [] : files;
}
