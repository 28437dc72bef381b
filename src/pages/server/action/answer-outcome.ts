import { constantHeaders, drainBody, noStore, readBody, send, withCookies } from "#http";
import * as pageErrors from "../../errors.ts";
import { cancelField, type OutcomeStatus, ownFields, reportedField } from "../../page-data.ts";
import { writeTagged } from "../../tagged-json.ts";
import { keptOutcomeOf } from "../kept/kept-copy.ts";
import { sendNotAllowed } from "../problems/refuse.ts";
import type { RequestTarget } from "../read-target.ts";
import type { Visit } from "../visit.ts";
import { readStamp } from "../visitor/visitor.ts";
import { type ActionAdmission, admitToAction } from "./admit-to-action.ts";
import { outcomeLine } from "./outcome-line.ts";
import { readStored, restoreCookies } from "./remembered.ts";
import { contextKeyOf, readAttempt, readSubmissionKey, rowKeyOf } from "./submission.ts";

/** A question contains a key, a number and a flag. */
const questionBytes = 4_096;

/**
 * Reports the outcome of a submission to a browser whose response was lost. Hook and guards run as for the action, but
 * no handler. The client must know the key, which only the sender has, and be the visitor who sent it.
 */
export async function answerOutcome(visit: Visit, target: Extract<RequestTarget, { kind: "outcome" }>): Promise<void> {
  const { exchange } = visit;
  const { incoming, method } = visit.request;
  if (method !== "POST") return sendNotAllowed(visit.site, exchange, "POST");
  const admitted = await admitToAction(visit, target.action);
  const body = await readStatus(visit, target, admitted);
  visit.request.sealCookies();
  await Promise.all([visit.durable, drainBody(incoming)]);
  const headers = [...constantHeaders, "Content-Type", "application/json", ...noStore];
  await send(exchange, { status: 200, headers: withCookies(headers, visit.request.cookiesToSend()), body });
}

async function readStatus(
  visit: Visit,
  { path, action }: Extract<RequestTarget, { kind: "outcome" }>,
  admitted: ActionAdmission,
): Promise<string> {
  const { incoming } = visit.request;
  const body = await readBody(incoming, questionBytes);
  const fields = new URLSearchParams(body.kind === "body" ? body.text : "");
  const key = readSubmissionKey(fields.get(ownFields.key) ?? undefined);
  if (key === undefined) return unknownStatus;
  const sender = fields.get(ownFields.visitor);
  if (sender !== null && !visit.isStamped(readStamp(sender))) return statusLine("other-visitor");
  // If the session has ended since, the submission must not look as if it had never arrived: its outcome is uncertain.
  if (admitted.kind !== "admitted") return unknownStatus;
  const row = rowKeyOf(path, action, key);
  const known = await visit.site.memory.statusOf({
    key: row,
    attempt: readAttempt(fields.get(ownFields.attempt) ?? undefined),
    cancel: fields.has(cancelField),
    visitor: visit.stamps(),
    isSameVisitor: (stamps) => visit.isStamped(stamps),
  });
  const kept = known.kind === "cannot-say" && known.body && (await keptOutcomeOf(visit, contextKeyOf(row, known.body)));
  if (kept) {
    const text = writeTagged(kept, visit.site.limits);
    const line = outcomeLine({ slot: action, text, ran: true, session: false, memory: visit.site.memory.reach });
    return `{"state":"ended",${line.slice(1)}`;
  }
  if (known.kind === "running") return statusLine("running");
  if (known.kind !== "ended") {
    const state = known.kind === "not-seen" ? "not-seen" : "cannot-say";
    if (admitted.action) return statusLine(state);
    // Only this server makes stamps: a client without one cannot fill the list of issues.
    const isReported = sender !== null && known.kind !== "other-visitor" && !fields.has(reportedField);
    const gone = pageErrors.actionGone(action, path);
    const digest = isReported ? visit.errors.record(gone, "action", { visitorSaw: "form-error" }) : undefined;
    return JSON.stringify({ state, gone: digest === undefined ? {} : { digest } } satisfies OutcomeStatus);
  }
  const ended = known.outcome === undefined ? undefined : readStored(known.outcome);
  if (!ended) return unknownStatus;
  restoreCookies(visit, ended);
  const line = outcomeLine({ ...ended, session: ended.cookies.size > 0, memory: visit.site.memory.reach });
  return `{"state":"ended",${line.slice(1)}`;
}

function statusLine(state: Exclude<OutcomeStatus["state"], "ended">): string {
  return JSON.stringify({ state } satisfies OutcomeStatus);
}

const unknownStatus = statusLine("cannot-say");
