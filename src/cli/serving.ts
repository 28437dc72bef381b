import { hostErrors, hostLimits } from "#host";

/** The port as someone typed it. */
export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") throw hostErrors.wrongPort(text);
  return port;
}

/** The number of seconds as someone typed it, as milliseconds. */
export function readDrain(text: string | undefined): number {
  if (text === undefined) return hostLimits.drainMs;
  const ms = Number(text) * 1_000;
  if (!(ms >= 0 && ms <= hostLimits.drainMsAtMost) || text.trim() === "")
    throw hostErrors.wrongDrain(text, hostLimits.drainMsAtMost / 1_000);
  return ms;
}

/** The number of MiB as someone typed it, as bytes. */
export function readMemory(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const mebibytes = Number(text);
  if (!(mebibytes > 0)) throw hostErrors.wrongMemory(text);
  return mebibytes * 1_048_576;
}
