import { isObject } from "#protocol";

const lineEnd = 0x0a;
/** Less than the usual difference between clocks. */
const noticeableMs = 1_000;

/**
 * Adds the wait in the outbox to `sent_at`. Receivers compute the error of a sender's clock from `sent_at` and the time
 * of arrival, so an hour in the outbox would look like an hour of clock error.
 */
export function addWaitToSentAt(envelope: Uint8Array, waitedMs: number): Uint8Array {
  if (waitedMs < noticeableMs) return envelope;
  const end = envelope.indexOf(lineEnd);
  const line = end < 0 ? envelope : envelope.subarray(0, end);
  const header = readLine(line);
  if (!isObject(header) || typeof header.sent_at !== "string") return envelope;
  const sentMs = Date.parse(header.sent_at);
  if (Number.isNaN(sentMs)) return envelope;
  const moved = JSON.stringify({ ...header, sent_at: new Date(sentMs + waitedMs).toISOString() });
  return Buffer.concat([Buffer.from(moved), envelope.subarray(line.length)]);
}

function readLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    // The header cannot be read; the receiver will refuse it with a reason.
    return undefined;
  }
}
