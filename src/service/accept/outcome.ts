import type { RateLimit } from "#protocol";

/** Result of a delivery. Only `accepted` promises that something is stored. */
export type AcceptOutcome =
  /** Everything acceptable is stored. `limits` lists the dropped categories and how long they should wait. */
  | { kind: "accepted"; eventId: string | undefined; limits: readonly RateLimit[] }
  | { kind: "malformed"; why: string }
  | { kind: "too-large"; why: string }
  | { kind: "unknown-encoding"; why: string }
  | { kind: "no-key"; why: string }
  /** `limits` for a key that is known and will be refused for a while. */
  | { kind: "forbidden"; why: string; limits?: readonly RateLimit[] }
  /** The envelope names another project or key than the request. */
  | { kind: "contradictory"; why: string }
  | { kind: "limited"; limits: readonly RateLimit[] }
  | { kind: "unavailable"; why: string; retryAfterSeconds: number }
  | { kind: "not-found"; why: string }
  | { kind: "wrong-method"; allowed: string }
  /** The client disconnected before the end of its body. There is no response. */
  | { kind: "abandoned" };
