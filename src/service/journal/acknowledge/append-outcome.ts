/**
 * `kept`: survives from now on, in the store or in the journal on this disk. `refused`: nothing was promised, and the
 * client may retry later. `too-large`: would not fit into an empty journal either.
 */
export type AppendOutcome =
  | { kind: "kept"; by: KeptBy }
  | { kind: "refused"; why: string; retryAfterSeconds: number }
  | { kind: "too-large"; why: string };

/** `store`: the store has committed the record. `journal`: the record is synced to this disk. */
export type KeptBy = "store" | "journal";

/** Must not throw: all listeners of a group are called in a row. */
export type AppendListener = (outcome: AppendOutcome) => void;
