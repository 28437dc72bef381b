import { type ReportedEvent, readEvent } from "#protocol";
import { markInApp } from "../../grouping/in-app.ts";
import type { StoredJson } from "../filed.ts";

const decoder = new TextDecoder();

/**
 * Parses a stored event of either form. Returns undefined if the bytes are no event, which the checksum should have
 * caught.
 */
export function eventOfJson({ form, bytes }: StoredJson, eventId: string): ReportedEvent | undefined {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  // Validated when it was filed. The checksum proves that it is unchanged.
  if (form === "filed") return value as ReportedEvent;
  const reading = readEvent(value);
  return reading.kind === "read" ? { ...markInApp(reading.value), eventId } : undefined;
}
