/** Consumes a body in chunks. Returns `enough` when it needs no more of it. */
export interface BodySink {
  push(chunk: Buffer): "more" | "enough";
}

export type ReceivedBody =
  | { kind: "complete" }
  /** The sink needed no more. */
  | { kind: "stopped" }
  | { kind: "too-large"; why: string }
  | { kind: "unknown-encoding"; why: string }
  | { kind: "malformed"; why: string }
  | { kind: "unavailable"; why: string; retryAfterSeconds: number }
  | { kind: "abandoned" };
