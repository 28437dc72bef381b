import { type ReportedSpan, readTransaction } from "#protocol";
import type { StoredJson } from "../filed.ts";

const decoder = new TextDecoder();

/** Stores spans whose transaction cannot be stored as sent. */
export function jsonOfSpans(spans: readonly ReportedSpan[]): StoredJson {
  return { form: "filed", bytes: Buffer.from(JSON.stringify(spans)) };
}

/** Parses stored spans of either form. */
export function spansOfJson({ form, bytes }: StoredJson): readonly ReportedSpan[] {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  // Validated when it was filed. The checksum proves that it is unchanged.
  if (form === "filed") return value as readonly ReportedSpan[];
  const reading = readTransaction(value);
  return reading.kind === "read" ? [reading.value.segment, ...reading.value.spans] : [];
}
