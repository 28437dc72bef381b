import type { EventLevel } from "#protocol";

/** A level is stored as its index in this list. */
export const levels: readonly EventLevel[] = ["debug", "info", "warning", "error", "fatal"];

export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
