import type { WireEvent } from "../wire.ts";

/**
 * Whether no line of the application had a part in it: extensions, scripts of third parties. An error without frames
 * says nothing about that. Frames of the engine itself do not count.
 */
export function hasForeignFramesOnly(event: WireEvent, isOwnFile: (file: string) => boolean): boolean {
  const files = (event.exception?.values ?? [])
    .flatMap(({ stacktrace }) => stacktrace?.frames ?? [])
    .map(({ filename }) => filename)
    .filter((file) => file !== "<anonymous>" && file !== "[native code]");
  return files.length > 0 && !files.some(isOwnFile);
}
