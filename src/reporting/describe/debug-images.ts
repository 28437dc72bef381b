import type { WireEvent, WireException } from "../wire.ts";
import { readStack } from "./read-stack.ts";

/** Every built file registers its debug id when it starts to run, under a stack that names the file. */
interface Registry {
  _sentryDebugIds?: Readonly<Record<string, string>>;
}

let known: { count: number; byFile: ReadonlyMap<string, string> } = { count: 0, byFile: new Map() };

/** Debug ids of all loaded application files, by the file names in stacks. */
export function debugIdsByFile(): ReadonlyMap<string, string> {
  const registry = Object.entries((globalThis as Registry)._sentryDebugIds ?? {});
  if (registry.length === known.count) return known.byFile;
  const byFile = new Map<string, string>();
  for (const [stack, id] of registry) {
    // The file itself is the innermost call.
    const file = readStack(stack, 50).at(-1)?.filename;
    if (file !== undefined) byFile.set(file, id);
  }
  known = { count: registry.length, byFile };
  return byFile;
}

/** Returns the source maps for the frames of these exceptions. */
export function debugImagesOf(exceptions: readonly WireException[]): WireEvent["debug_meta"] {
  const ids = debugIdsByFile();
  const files = new Set(
    exceptions.flatMap(({ stacktrace }) => stacktrace?.frames.map(({ filename }) => filename) ?? []),
  );
  const images = [...files].flatMap((file) => {
    const id = ids.get(file);
    return id === undefined ? [] : [{ type: "sourcemap" as const, code_file: file, debug_id: id }];
  });
  return images.length > 0 ? { images } : undefined;
}
