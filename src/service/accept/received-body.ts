/** Takes a body piece by piece; says `enough` when the rest need not come. */
export interface BodySink {
  push(chunk: Buffer): "more" | "enough";
}

export type ReceivedBody =
  | { kind: "complete" }
  /** The sink had enough. */
  | { kind: "stopped" }
  | { kind: "too-large"; why: string }
  | { kind: "unknown-encoding"; why: string }
  | { kind: "malformed"; why: string }
  | { kind: "unavailable"; why: string; retryAfterSeconds: number }
  | { kind: "abandoned" };
