import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { MachineNote, SharedStore } from "./stores/shared-store.ts";

/** Interval of the notes. One costs the database a small write; the doctor regards five minutes as silence. */
const noteEveryMs = 60_000;
/** Half of SHA-256 suffices to compare, and reveals nothing about a secret of 32 characters. */
const secretHashDigits = 32;

export interface NotedProcess {
  readonly kind: MachineNote["kind"];
  readonly build?: string | undefined;
  readonly secret: string | undefined;
}

/** Writes a note about this process now and every minute. A note that the database does not take is left out. */
export function keepMachineNoted(shared: SharedStore, noted: NotedProcess): { close(): void } {
  const note = machineNote(noted);
  const write = (): void => void shared.note(note).catch(() => undefined);
  write();
  const timer = setInterval(write, noteEveryMs).unref();
  return { close: () => clearInterval(timer) };
}

function machineNote({ kind, build, secret }: NotedProcess): MachineNote {
  return { host: hostname(), kind, version: ownVersion(), build, secret: secretHash(secret) };
}

/** Equal on all machines that have the same secret. */
export function secretHash(secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined;
  return createHmac("sha256", secret)
    .update("holdfast: the same on all machines")
    .digest("hex")
    .slice(0, secretHashDigits);
}

export function ownVersion(): string {
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return String(version);
}
