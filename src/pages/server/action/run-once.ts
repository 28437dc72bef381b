import { setTimeout as wait } from "node:timers/promises";
import type { SubmissionMemoryReach } from "../../page-data.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { FailedStatus, FailedWhy, SubmissionOutcome } from "../../view.ts";
import type { Action, Locals } from "../author/define.ts";
import type { Visit } from "../visit.ts";
import { readStored, restoreCookies, storedText } from "./remembered.ts";
import { type Ended, runAction } from "./run-action.ts";
import { bodyHashOf, contextKeyOf, otherKeyOf, type PostedSubmission, rowKeyOf } from "./submission.ts";
import type { EndState } from "./submission-memory.ts";

/** A submission whose action may run. */
export interface TakenSubmission {
  locals: Locals;
  action: Action;
  submission: PostedSubmission;
}

/** What a submission came to, now or when it arrived before, and how far that is remembered. */
export interface AnsweredSubmission extends Ended {
  memory: SubmissionMemoryReach;
}

/**
 * Runs a submission unless it has been run: one that arrives again is answered with what it came to, and one that is
 * running is waited for. Without a key, or without a memory, it is run each time it arrives, unless its action may only
 * run once.
 */
export async function runOnce(visit: Visit, taken: TakenSubmission): Promise<AnsweredSubmission> {
  const { submission } = taken;
  if (submission.key === undefined) return runUnremembered(visit, taken, undefined);
  const body = await bodyHashOf(submission).catch(async (error: unknown) => {
    await submission.posted.dispose();
    throw error;
  });
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
        // Back, and other text typed: a submission of its own, and once as well.
        named.key = otherKeyOf(key, body);
        break;
      case "running":
        if (!visit.request.hasGone && (await patience.wait())) break;
        return notRun(visit, taken, { status: 504, why: "still-running", ran: true });
      case "ended": {
        const stored = claimed.outcome === undefined ? undefined : readStored(claimed.outcome);
        if (!stored) return notRun(visit, taken, { status: 409, why: "unknown", ran: true });
        await taken.submission.posted.dispose();
        restoreCookies(visit, stored);
        return { ...stored, memory: memory.reach };
      }
      case "void":
        return notRun(visit, taken, { status: 409, why: "not-received", ran: false });
      case "cannot-say":
        return notRun(visit, taken, { status: 409, why: "unknown", ran: true });
      case "other-visitor":
        return notRun(visit, taken, { status: 409, why: "other-visitor", ran: false });
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
  const letGo = memory.keep(key, attempt, limits.actionMs);
  let isRemembered = true;
  const ended = await runAction(visit, taken, {
    key: contextKey,
    // Before the first byte of the answer: who hears of it finds it again. Also of an action that ends after its time.
    settle: async (one) => {
      letGo();
      const visitor = one.cookies.size > 0 ? visit.stampNow() : undefined;
      isRemembered = await memory.end({ key, attempt, state: stateOf(one.outcome), outcome: storedText(one), visitor });
    },
  });
  return { ...ended, memory: isRemembered ? memory.reach : "none" };
}

async function runUnremembered(
  visit: Visit,
  taken: TakenSubmission,
  key: string | undefined,
): Promise<AnsweredSubmission> {
  if (taken.action.once) return notRun(visit, taken, { status: 503, why: "no-memory", ran: false });
  return { ...(await runAction(visit, taken, { key })), memory: "none" };
}

function stateOf({ kind }: SubmissionOutcome): EndState {
  return kind === "redirected" ? "done" : kind;
}

/** Neither run nor run before, as far as is known. */
async function notRun(
  visit: Visit,
  { submission }: TakenSubmission,
  { status, why, ran }: { status: FailedStatus; why: FailedWhy; ran: boolean },
): Promise<AnsweredSubmission> {
  await submission.posted.dispose();
  const outcome: SubmissionOutcome = { kind: "failed", status, why };
  const text = writeTagged(outcome, visit.site.limits);
  return { slot: submission.slot, outcome, text, ran, cookies: new Map(), memory: visit.site.memory.reach };
}

/** Looks again soon at first, then less often: what runs twice at once is mostly a double click, and mostly quick. */
class Patience {
  readonly #until: number;
  #pauseMs = 25;

  constructor(ms: number) {
    this.#until = performance.now() + ms;
  }

  /** False when there has been enough of it. */
  async wait(): Promise<boolean> {
    if (performance.now() >= this.#until) return false;
    await wait(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, 400);
    return true;
  }
}
