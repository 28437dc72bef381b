/**
 * Size of each half of V8's young generation. By default it grows to 130 MB while a person reads one event after the
 * other, and stays there; with this limit it is 17 MB, at the same processor time.
 */
const semiSpaceMegabytes = 8;

/**
 * How much V8's old generation grows before the next collection. By default V8 chooses from 10 to 300 % by the speed of
 * the machine: the same load took 305 MB on two cores and 394 MB on a larger machine. With this figure it takes 265 MB,
 * at the same processor time.
 */
const growthPercent = 60;

/**
 * Number of glibc memory arenas for all threads. By default each of about eleven threads gets its own, and memory that
 * one thread frees is unusable for the others: 10 to 20 MB more after thousands of events. Two arenas would save 25 MB,
 * but the threads would wait for each other: 4 % more processor time per event. With four there was no difference.
 * Other C libraries ignore the variable.
 */
const arenas = 4;

/** Start parameters of this process. */
export interface StartedAs {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether the parent uses an IPC channel, which a restart would close. */
  readonly hasChannel: boolean;
}

export interface BoundStart {
  readonly words: string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Returns how to restart this process with its limits, or nothing if it has them or cannot restart. */
export function startWithBounds({ execPath, execArgv, argv, env, hasChannel }: StartedAs): BoundStart | undefined {
  const isSet = (flag: RegExp) => [env.NODE_OPTIONS ?? "", ...execArgv].some((word) => flag.test(word));
  const flags = [
    ...(isSet(/--max[-_]semi[-_]space[-_]size/) ? [] : [`--max-semi-space-size=${semiSpaceMegabytes}`]),
    ...(isSet(/--heap[-_]growing[-_]percent/) ? [] : [`--heap-growing-percent=${growthPercent}`]),
  ];
  const hasArenas = env.MALLOC_ARENA_MAX !== undefined || /malloc\.arena_max/.test(env.GLIBC_TUNABLES ?? "");
  if (hasChannel || (flags.length === 0 && hasArenas)) return undefined;
  return {
    words: [execPath, ...flags, ...execArgv, ...argv.slice(1)],
    env: hasArenas ? env : { ...env, MALLOC_ARENA_MAX: String(arenas) },
  };
}

/**
 * V8 and glibc read their limits only at the start, so the process replaces itself with `execve`, keeping its id, in 35
 * ms. Windows has no `execve`; there the service uses more memory.
 */
export function boundMemory(): void {
  const { execPath, execArgv, argv, env } = process;
  const hasChannel = process.channel !== undefined && process.channel !== null;
  const start = startWithBounds({ execPath, execArgv, argv, env, hasChannel });
  if (start !== undefined && process.platform !== "win32") process.execve?.(execPath, start.words, start.env);
}
