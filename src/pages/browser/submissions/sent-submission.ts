import type { NavigationSignals } from "#signals";
import type { CarriedSubmission } from "../../early-input.ts";
import type { Press } from "../../react/browser-runtime.ts";
import type { Posted } from "../../react/slots.ts";
import type { PageKeeps } from "../../view.ts";
import type { PageAnswer } from "../data/page-answer.ts";
import { bodyText } from "./submission-body.ts";
import type { UploadMeter } from "./upload.ts";

/** A submission with the fields that the record does not need. */
export interface Sent extends CarriedSubmission, UploadMeter {
  press: Press;
  body: string;
  /** Content of the form when it was sent, to detect later edits. */
  typed: string | undefined;
  bytes: number;
  startedAt: number;
  promise: Promise<Posted>;
  resolve(posted: Posted): void;
  span: NavigationSignals | undefined;
  stop: () => void;
  /** Only the latest question to the server counts. */
  queries: number;
  /** Its outcome line as it arrived, and whether another build wrote it. */
  text: string;
  isOtherBuild: boolean;
  page?: PageAnswer;
  /** An earlier document sent it. */
  isResumed?: boolean;
  /** Of an action that has `keeps`: stored for a later visit until its outcome is known. */
  keeps?: PageKeeps | undefined;
  /** A later visit finds it, so that the next document of this tab need not ask for it. */
  isStored?: boolean;
}

export function newSent(
  known: CarriedSubmission,
  content: Pick<Sent, "press" | "body" | "bytes" | "typed" | "startedAt" | "isResumed" | "keeps">,
): Sent {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const nothingYet = { span: undefined, stop: nothing, queries: 0, text: "", isOtherBuild: false };
  return { ...known, ...content, promise, resolve, ...nothingYet };
}

/** Whether something was typed into the form since it was sent. */
export function isEdited({ press: { element }, typed, isEdited: before }: Sent): boolean {
  return before || (element?.isConnected === true && bodyText(new FormData(element)) !== typed);
}

export function endSpan({ span, page }: Sent, outcome: Posted): void {
  if (outcome.kind === "redirected") span?.ended(outcome);
  else if (outcome.kind === "discarded") span?.ended({ kind: "cancelled" });
  else if (outcome.kind === "failed")
    // What is kept need not be sent again, so its visitor is through with it.
    span?.ended({
      kind: "failed",
      reason: "action",
      ...(outcome.digest && !outcome.kept && { digest: outcome.digest }),
    });
  else
    span?.ended({
      kind: "committed",
      route: page?.route ?? "",
      status: outcome.kind === "done" ? 200 : 422,
      data: "fetched",
    });
}

export function nothing(): void {
  // Nothing to do.
}
