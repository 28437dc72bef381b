import { hostErrors, hostLimits } from "#host";

/** Reads a port from the command line. */
export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") throw hostErrors.wrongPort(text);
  return port;
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
