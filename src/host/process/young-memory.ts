export interface YoungMemory {
  mostBytes: number;
  everyMs: number;
}

export interface YoungMemoryDeps {
  /** Bytes of the memory of young objects, which grows in powers of two. */
  youngBytes?: () => number;
  /** Ends the growth for the rest of the process. */
  stopGrowth?: () => void;
}

/**
 * Ends the growth of V8's memory of young objects at `mostBytes`. Under load V8 doubles it up to 128 MiB, although what
 * a request makes is garbage before the next collection. For a process that the framework has started.
 */
export function boundYoungMemory(
  { mostBytes, everyMs }: YoungMemory,
  { youngBytes = youngBytesNow, stopGrowth = stopYoungGrowth }: YoungMemoryDeps = {},
): void {
  const timer = setInterval(() => {
    if (youngBytes() < mostBytes) return;
    stopGrowth();
    clearInterval(timer);
  }, everyMs);
  timer.unref();
}

/** Not imported: a start does not wait for it. */
const v8 = () => process.getBuiltinModule("node:v8");

function youngBytesNow(): number {
  return (
    v8()
      .getHeapSpaceStatistics()
      .find(({ space_name: name }) => name === "new_space")?.space_size ?? 0
  );
}

/** `--max-semi-space-size` has no effect on a process that runs. V8 reads this factor at each growth. */
function stopYoungGrowth(): void {
  v8().setFlagsFromString("--semi-space-growth-factor=1");
}
