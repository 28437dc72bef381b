import { readSpanId, readTraceId } from "./ids.ts";

/** The trace that a request belongs to. `sampled` is absent if the sender left the decision open. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled?: boolean;
}

/** Reads `sentry-trace: traceid-spanid-sampled`; the last part may be missing. */
export function readSentryTrace(header: string): TraceParent | undefined {
  const match = /^\s*([0-9a-f]{32})-([0-9a-f]{16})(?:-([01]))?\s*$/i.exec(header);
  return parentOf(match?.[1], match?.[2], match?.[3] === undefined ? undefined : match[3] === "1");
}

export function writeSentryTrace({ traceId, spanId, sampled }: TraceParent): string {
  return sampled === undefined ? `${traceId}-${spanId}` : `${traceId}-${spanId}-${sampled ? "1" : "0"}`;
}

/** Reads W3C Trace Context: `traceparent: 00-traceid-spanid-flags`. Later versions may append fields. */
export function readTraceparent(header: string): TraceParent | undefined {
  const match = /^\s*([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?\s*$/i.exec(header);
  if (match?.[1]?.toLowerCase() === "ff" || (match?.[1] === "00" && match[5] !== undefined)) return undefined;
  return parentOf(match?.[2], match?.[3], (Number.parseInt(match?.[4] ?? "0", 16) & 1) === 1);
}

export function writeTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled === true ? "01" : "00"}`;
}

/** W3C allows 8,192 bytes for the whole header; the rest is dropped. */
const baggageBytes = 8_192;

/** Reads the `sentry-…` members of a `baggage` header, without the prefix. Other members are ignored. */
export function readBaggage(header: string): Readonly<Record<string, string>> {
  const members: [string, string][] = [];
  for (const member of header.slice(0, baggageBytes).split(",")) {
    const [pair = ""] = member.split(";");
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals).trim();
    if (equals > 0 && name.startsWith("sentry-")) members.push([name.slice(7), decoded(pair.slice(equals + 1).trim())]);
  }
  return Object.fromEntries(members);
}

/** Adds members to a header that others have written; their members stay unchanged. */
export function writeBaggage(members: Readonly<Record<string, string>>, others = ""): string {
  const theirs = others
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "" && !member.startsWith("sentry-"));
  const ours = Object.entries(members).map(
    ([name, value]) => `sentry-${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const written: string[] = [];
  let bytes = 0;
  for (const member of [...theirs, ...ours]) {
    bytes += member.length + 1;
    if (bytes <= baggageBytes) written.push(member);
  }
  return written.join(",");
}

function parentOf(
  traceId: string | undefined,
  spanId: string | undefined,
  sampled: boolean | undefined,
): TraceParent | undefined {
  const trace = readTraceId(traceId);
  const span = readSpanId(spanId);
  if (trace === undefined || span === undefined) return undefined;
  return sampled === undefined ? { traceId: trace, spanId: span } : { traceId: trace, spanId: span, sampled };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the raw text is better than none.
    return text;
  }
}
