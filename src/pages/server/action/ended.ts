import type { SubmissionOutcome } from "../../view.ts";

/** The result of a submission. */
export interface Ended {
  slot: string;
  outcome: SubmissionOutcome;
  /** The outcome as text. */
  text: string;
  /** Whether something may have changed. */
  ran: boolean;
  /** Names and `Set-Cookie` lines of the cookies that the action set. */
  cookies: ReadonlyMap<string, string>;
}

export interface RunOptions {
  /** Identifies the submission for the application: the same in all attempts. */
  key: string | undefined;
  /** Its row in the memory of submissions. */
  row?: Uint8Array;
  /** Called when the action has ended, in time or later, before any response. Returns whether it is remembered. */
  settle?: (ended: Ended) => Promise<boolean>;
}
