/** Loaded into a measured server: sends its parent the size of its heap, after a garbage collection if requested. */
process.on("message", (asked) => {
  if (asked === "collect") globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
