import type { WireEvent, WireSdk } from "../wire.ts";

/** Identity of the reporter: equal for all reports of one process or one page. */
export interface Identity {
  sdk: WireSdk;
  platform: WireEvent["platform"];
  release: string | undefined;
  environment: string;
  serverName?: string | undefined;
  /** Key of the service that receives reports; part of the trace's headers. */
  publicKey?: string | undefined;
  contexts: Readonly<Record<string, unknown>>;
}

/** Facts that the start of a trace decides for all of it. They travel in envelope headers and in `baggage`. */
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
