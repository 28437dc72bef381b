import { hostErrors, hostLimits, readWorkerCount } from "#host";
import type { SettingReader } from "#service";

/** Reads a port from the command line. */
export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") throw hostErrors.wrongPort(text);
  return port;
}

/** Reads a number of processes, or `auto`. */
export function readWorkers(text: string | undefined): number {
  const count = readWorkerCount(text);
  if (count === undefined) throw hostErrors.wrongWorkers(text ?? "");
  return count;
}

/** Reads a number of seconds and returns milliseconds. */
export function readDrain(text: string | undefined): number {
  if (text === undefined) return hostLimits.drainMs;
  const ms = Number(text) * 1_000;
  if (!(ms >= 0 && ms <= hostLimits.drainMsAtMost) || text.trim() === "")
    throw hostErrors.wrongDrain(text, hostLimits.drainMsAtMost / 1_000);
  return ms;
}

/** Reads a number of MiB and returns bytes. */
export function readMemory(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const mebibytes = Number(text);
  if (!(mebibytes > 0)) throw hostErrors.wrongMemory(text);
  return mebibytes * 1_048_576;
}

/** What a start reads of the environment beside the application. An option of the command replaces its variable. */
export function startReaders(options: { port?: string | undefined; workers?: string | undefined }): SettingReader[] {
  return [
    ({ PORT }) => readPort(options.port ?? PORT ?? "3000"),
    ({ HOLDFAST_WORKERS }) => readWorkers(options.workers ?? HOLDFAST_WORKERS),
    ({ HOLDFAST_DRAIN_SECONDS }) => readDrain(HOLDFAST_DRAIN_SECONDS),
    ({ HOLDFAST_MEMORY_MIB }) => readMemory(HOLDFAST_MEMORY_MIB),
  ];
}
