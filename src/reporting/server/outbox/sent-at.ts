import { isObject } from "#protocol";

const lineEnd = 0x0a;
/** Less than what clocks differ by anyway. */
const noticeableMs = 1_000;

/**
 * `sent_at` with the time of arrival tells how wrong a sender's clock is. An envelope that lay in the outbox for an
 * hour would make it look an hour wrong, so the wait is added.
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
