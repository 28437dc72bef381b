/**
 * Frees the buffers of bodies that were read. V8 begins to collect them when there are 64 MiB of them, however short
 * their life was: an upload of 200 MiB grew the process by 50.
 */

/** A collection of young objects takes 0.15 ms at this distance; uploads of any size grow the process by 10 MiB. */
const everyBytes = 2 * 1_048_576;

type CollectYoung = (options: { type: "minor" }) => void;

let collect: CollectYoung | undefined;
/** All uploads of the process together: a collection frees the buffers of each. */
let bytesSince = 0;

/** Call it for each chunk of a body whose chunks are not held. */
export function reclaimRead(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince < everyBytes) return;
  bytesSince = 0;
  collect ??= openCollector();
  collect({ type: "minor" });
}

/** Node has the collector only as a flag, which contexts read when they are made. Later contexts have none. */
function openCollector(): CollectYoung {
  // Not imported: a start without uploads does not load them.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const { runInNewContext } = process.getBuiltinModule("node:vm");
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof exposed === "function" ? (exposed as CollectYoung) : () => undefined;
}
