import { setTimeout as wait } from "node:timers/promises";
import type { SubmissionMemoryReach } from "../../page-data.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { Action, Locals } from "../author/define.ts";
import { keptOutcomeOf } from "../kept/kept-copy.ts";
import type { Visit } from "../visit.ts";
import type { Ended } from "./ended.ts";
import { readStored, restoreCookies, storedText } from "./remembered.ts";
import { runAction, timeLimitOf } from "./run-action.ts";
import { bodyHashOf, contextKeyOf, otherKeyOf, type PostedSubmission, rowKeyOf } from "./submission.ts";
import type { EndState } from "./submission-memory.ts";

/** A submission whose action may run. */
export interface TakenSubmission {
  locals: Locals;
  action: Action;
  submission: PostedSubmission;
}

/** The result of a submission, of this request or an earlier one, and which processes remember it. */
export interface AnsweredSubmission extends Ended {
  memory: SubmissionMemoryReach;
}

/**
 * Runs a submission at most once: a repetition gets the stored outcome, or waits for the running one. Without a key or
 * a memory it runs each time it arrives, unless its action is declared `once`.
 */
export async function runOnce(visit: Visit, taken: TakenSubmission): Promise<AnsweredSubmission> {
  const { submission } = taken;
  // It was sent first by another visitor of the same browser, and must not run as this one's.
  if (submission.visitor !== undefined && !visit.isStamped(submission.visitor))
    return notRun(visit, taken, { outcome: { kind: "failed", status: 409, why: "other-visitor" }, ran: false });
  if (submission.key === undefined) return runUnremembered(visit, taken, undefined);
  const body = bodyHashOf(submission);
  const first = rowKeyOf(visit.request.path, submission.action, submission.key);
  return answerByMemory(visit, taken, { key: first, body, contextKey: contextKeyOf(first, body) });
}

interface Named {
  key: Uint8Array;
  body: Uint8Array;
  contextKey: string;
}

async function answerByMemory(visit: Visit, taken: TakenSubmission, named: Named): Promise<AnsweredSubmission> {
  const { memory, limits } = visit.site;
  const { attempt } = taken.submission;
  const patience = new Patience(limits.submissionWaitMs);
  for (;;) {
    const { key, body } = named;
    const visitor = visit.stamps();
    const claimed = await memory.claim({ key, attempt, body, visitor, isSameVisitor: (one) => visit.isStamped(one) });
    switch (claimed.kind) {
      case "new":
        return runClaimed(visit, taken, named);
      case "unavailable":
        return runUnremembered(visit, taken, named.contextKey);
      case "other-body":
        // The visitor went back and typed other text: a separate submission, which also runs once.
        named.key = otherKeyOf(key, body);
        break;
      case "running":
        if (!visit.request.isDisconnected && (await patience.wait())) break;
        return notRun(visit, taken, { outcome: { kind: "failed", status: 504, why: "still-running" }, ran: true });
      case "ended": {
        const stored = claimed.outcome === undefined ? undefined : readStored(claimed.outcome);
        if (!stored)
          return notRun(visit, taken, { outcome: { kind: "failed", status: 409, why: "unknown" }, ran: true });
        await taken.submission.posted.dispose();
        restoreCookies(visit, stored);
        return { ...stored, memory: memory.reach };
      }
      case "void":
        return notRun(visit, taken, { outcome: { kind: "failed", status: 409, why: "not-received" }, ran: false });
      case "cannot-say":
        if (taken.action.keeps) {
          const outcome = await keptOutcomeOf(visit, named.contextKey);
          if (outcome) return notRun(visit, taken, { outcome, ran: true });
        }
        return notRun(visit, taken, { outcome: { kind: "failed", status: 409, why: "unknown" }, ran: true });
      case "other-visitor":
        return notRun(visit, taken, { outcome: { kind: "failed", status: 409, why: "other-visitor" }, ran: false });
    }
  }
}

async function runClaimed(
  visit: Visit,
  taken: TakenSubmission,
  { key, contextKey }: Named,
): Promise<AnsweredSubmission> {
  const { memory, limits } = visit.site;
  const { attempt } = taken.submission;
  const stopRenewing = memory.keep(key, attempt, timeLimitOf(taken.action, limits));
  let isRemembered = true;
  const ended = await runAction(visit, taken, {
    key: contextKey,
    row: key,
    // Before the first byte of the response: a client that knows the outcome must be able to find it again. Also for an
    // action that ends after its deadline.
    settle: async (one) => {
      stopRenewing();
      const visitor = one.cookies.size > 0 ? visit.stampNow() : undefined;
      isRemembered = await memory.end({ key, attempt, state: stateOf(one.outcome), outcome: storedText(one), visitor });
      return isRemembered;
    },
  });
  return { ...ended, memory: isRemembered ? memory.reach : "none" };
}

async function runUnremembered(
  visit: Visit,
  taken: TakenSubmission,
  key: string | undefined,
): Promise<AnsweredSubmission> {
  // Kept ones run exactly once, so what cannot be remembered is refused; without a key nothing can be repeated.
  const needsMemory = taken.action.once || (taken.action.keeps && key !== undefined);
  if (needsMemory)
    return notRun(visit, taken, { outcome: { kind: "failed", status: 503, why: "no-memory" }, ran: false });
  return { ...(await runAction(visit, taken, { key })), memory: "none" };
}

function stateOf({ kind }: SubmissionOutcome): EndState {
  return kind === "redirected" ? "done" : kind;
}

/** The outcome of a submission that this request does not run. */
async function notRun(
  visit: Visit,
  { submission }: TakenSubmission,
  { outcome, ran }: { outcome: SubmissionOutcome; ran: boolean },
): Promise<AnsweredSubmission> {
  await submission.posted.dispose();
  const text = writeTagged(outcome, visit.site.limits);
  return { slot: submission.slot, outcome, text, ran, cookies: new Map(), memory: visit.site.memory.reach };
}

/** Polls quickly at first, then less often: most parallel submissions are double clicks, and most actions are quick. */
class Patience {
  readonly #until: number;
  #pauseMs = 25;

  constructor(ms: number) {
    this.#until = performance.now() + ms;
  }

  /** Returns false when the time is up. */
  async wait(): Promise<boolean> {
    if (performance.now() >= this.#until) return false;
    await wait(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, 400);
    return true;
  }
}
