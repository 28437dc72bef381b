import { type ReportedSpan, readTransaction } from "#protocol";
import type { KeptJson } from "./filed.ts";

const decoder = new TextDecoder();

/** Spans as they are kept where their transaction cannot stay as it came. */
export function jsonOfSpans(spans: readonly ReportedSpan[]): KeptJson {
  return { form: "filed", bytes: Buffer.from(JSON.stringify(spans)) };
}

/** The spans that were filed, however they were kept. */
export function spansOfJson({ form, bytes }: KeptJson): readonly ReportedSpan[] {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  // Checked when it was filed; the checksum says that it is still the same text.
  if (form === "filed") return value as readonly ReportedSpan[];
  const reading = readTransaction(value);
  return reading.kind === "read" ? [reading.value.segment, ...reading.value.spans] : [];
}
