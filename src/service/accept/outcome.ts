import type { RateLimit } from "#protocol";

/** How a delivery ended. Only `accepted` promises anything. */
export type AcceptOutcome =
  /** What could be kept is kept; `limits` says what was not and should wait. */
  | { kind: "accepted"; eventId: string | undefined; limits: readonly RateLimit[] }
  | { kind: "malformed"; why: string }
  | { kind: "too-large"; why: string }
  | { kind: "unknown-encoding"; why: string }
  | { kind: "no-key"; why: string }
  | { kind: "forbidden"; why: string }
  /** The envelope names another project or key than the request does. */
  | { kind: "contradictory"; why: string }
  | { kind: "limited"; limits: readonly RateLimit[] }
  | { kind: "unavailable"; why: string; retryAfterSeconds: number }
  | { kind: "not-found"; why: string }
  /** What others of its kind offer and this one can do without. */
  | { kind: "not-offered"; why: string }
  | { kind: "wrong-method"; allowed: string }
  /** The client disconnected before it had sent everything; there is no response. */
  | { kind: "abandoned" };
