/** `fixed`: the issue is resolved, and its fix is said to be in the new build. */
export type FixClaim = "fixed" | "open";

/** The first error of a replayed request, and the known issue that it belongs to. */
export interface ReplayFailure {
  /** `RangeError: no order 7`. */
  readonly title: string;
  readonly belongsTo: { readonly number: number; readonly claim: FixClaim | "muted" } | undefined;
}

/** What became of an issue's request. */
export type Replay =
  | { readonly kind: "not-sent"; readonly why: string }
  | { readonly kind: "no-answer"; readonly seconds: number }
  /** The connection ended before the response did. */
  | { readonly kind: "cut"; readonly why: string; readonly failure: ReplayFailure | undefined }
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Target of a redirect. */
      readonly leadsTo: string | null;
      readonly failure: ReplayFailure | undefined;
    };

export type GateOutcome =
  | { readonly kind: "fixed-and-passing"; readonly status: number }
  /** Stops the deployment. `issue`: the one that still fails, which may be another than the replayed one. */
  | { readonly kind: "fixed-and-still-failing"; readonly issue: number; readonly failure: string }
  | { readonly kind: "open-still-failing"; readonly failure: string }
  | { readonly kind: "open-passes-now"; readonly status: number }
  /** Stops the deployment: it fails in a way that no known issue has. */
  | { readonly kind: "new-failure"; readonly failure: string }
  | { readonly kind: "not-replayed"; readonly why: string };

export interface ReplayedIssue {
  readonly number: number;
  readonly claim: FixClaim;
  /** Whether the request was one that changes something. */
  readonly isWrite: boolean;
  readonly replay: Replay;
}

/** Decides what the replay of an issue's request says about the new build. */
export function decideOutcome({ number, claim, isWrite, replay }: ReplayedIssue): GateOutcome {
  if (replay.kind === "not-sent") return { kind: "not-replayed", why: replay.why };
  if (replay.kind === "no-answer")
    return { kind: "new-failure", failure: `no complete response within ${replay.seconds} s` };
  if (replay.failure) return outcomeOfFailure(number, replay.failure);
  if (replay.kind === "cut") return { kind: "new-failure", failure: `the response was cut: ${replay.why}` };
  const { status, leadsTo } = replay;
  if (status >= 500) return { kind: "new-failure", failure: `answered ${status} without an error` };
  const why = whyNothingIsKnown(status, leadsTo, isWrite);
  if (why !== undefined) return { kind: "not-replayed", why };
  return claim === "fixed" ? { kind: "fixed-and-passing", status } : { kind: "open-passes-now", status };
}

/** Whether an outcome stops the deployment. */
export function stops({ kind }: GateOutcome): boolean {
  return kind === "fixed-and-still-failing" || kind === "new-failure";
}

function outcomeOfFailure(number: number, { title, belongsTo }: ReplayFailure): GateOutcome {
  if (!belongsTo) return { kind: "new-failure", failure: title };
  if (belongsTo.claim === "fixed") return { kind: "fixed-and-still-failing", issue: belongsTo.number, failure: title };
  if (belongsTo.number === number) return { kind: "open-still-failing", failure: title };
  return { kind: "not-replayed", why: `its request fails earlier, with the known issue #${belongsTo.number}` };
}

/** A request passes only if it came as far as the event did. */
function whyNothingIsKnown(status: number, leadsTo: string | null, isWrite: boolean): string | undefined {
  if (status === 401 || status === 403) return `it needs the visitor's session: answered ${status}`;
  if (status === 404) return "nothing is found at its address: answered 404";
  if (isWrite) return `an event never contains what was posted: answered ${status} without it`;
  if (status >= 400) return `the request is refused: answered ${status}`;
  if (status >= 300) return `it leads to ${leadsTo ?? "another address"}, as for a visitor without a session`;
  return undefined;
}
