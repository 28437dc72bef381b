import type { WireEvent, WireSdk } from "../wire.ts";

/** Who reports: alike for everything that one process or one page sends. */
export interface Identity {
  sdk: WireSdk;
  platform: WireEvent["platform"];
  release: string | undefined;
  environment: string;
  serverName?: string | undefined;
  /** Of the service that reports go to; it is in the trace's headers. */
  publicKey?: string | undefined;
  contexts: Readonly<Record<string, unknown>>;
}

/** The beginning of a trace decides for all of it; this travels in envelope headers and in `baggage`. */
export function traceFacts(
  identity: Identity,
  trace: { traceId: string; sampled: boolean; sampleRate: number },
  transaction?: string,
): Record<string, string> {
  return {
    trace_id: trace.traceId,
    ...(identity.publicKey !== undefined && { public_key: identity.publicKey }),
    ...(identity.release !== undefined && { release: identity.release }),
    environment: identity.environment,
    sampled: String(trace.sampled),
    sample_rate: String(trace.sampleRate),
    ...(transaction !== undefined && { transaction }),
  };
}
