import type { WireEvent } from "../wire.ts";

/**
 * Whether no frame belongs to the application, as with extensions and third-party scripts. Frames of the engine do not
 * count, and an error without frames may be the application's.
 */
export function hasForeignFramesOnly(event: WireEvent, isOwnFile: (file: string) => boolean): boolean {
  const files = (event.exception?.values ?? [])
    .flatMap(({ stacktrace }) => stacktrace?.frames ?? [])
    .map(({ filename }) => filename)
    .filter((file) => file !== "<anonymous>" && file !== "[native code]");
  return files.length > 0 && !files.some(isOwnFile);
}
