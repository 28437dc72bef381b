import { type ReportedEvent, readEvent } from "#protocol";
import { markInApp } from "../grouping/in-app.ts";
import type { KeptJson } from "./filed.ts";

const decoder = new TextDecoder();

/**
 * The event that was filed, however it was kept. Undefined if the bytes are no event; their checksum should have shown
 * that.
 */
export function eventOfJson({ form, bytes }: KeptJson, eventId: string): ReportedEvent | undefined {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  // Checked when it was filed; the checksum says that it is still the same text.
  if (form === "filed") return value as ReportedEvent;
  const reading = readEvent(value);
  return reading.kind === "read" ? { ...markInApp(reading.value), eventId } : undefined;
}
