/**
 * Loaded into a measured server: sends its parent the size of its heap, after a garbage collection if requested. A
 * minor one is done twice: an object leaves the young memory with the second.
 */
process.on("message", (asked) => {
  if (asked === "collect") globalThis.gc?.();
  if (asked === "collect young") for (let time = 0; time < 2; time++) globalThis.gc?.({ type: "minor" });
  process.send?.(process.memoryUsage().heapUsed);
});
