/**
 * Loaded into a server that is measured: tells its parent how many bytes its heap has, on request after a collection.
 */
process.on("message", (asked) => {
  if (asked === "collect") globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
