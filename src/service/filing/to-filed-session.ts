import type { ReportedSession, ReportedSessionCounts } from "#protocol";
import type { FiledSession, FiledSessionCounts, RowKey } from "../stores/filed.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";

export function toFiledSession(session: ReportedSession, row: RowKey, time: ClientTime): FiledSession {
  return {
    kind: "session",
    ...row,
    receivedAt: Math.round(time.receivedAt),
    sessionId: session.sessionId,
    startedAt: happenedAt(session.startedMs, time),
    ended: endOf(session),
    release: session.attributes.release,
    environment: session.attributes.environment,
  };
}

function endOf({ status, errors }: ReportedSession): FiledSession["ended"] {
  if (status === "crashed" || status === "abnormal") return status;
  return errors > 0 || status === "errored" || status === "unhandled" ? "with-errors" : "well";
}

export function toFiledSessionCounts(counts: ReportedSessionCounts, row: RowKey, time: ClientTime): FiledSessionCounts {
  const { exited, errored, crashed, abnormal, unhandled } = counts;
  return {
    kind: "session-counts",
    ...row,
    receivedAt: Math.round(time.receivedAt),
    startedAt: happenedAt(counts.startedMs, time),
    started: exited + errored + crashed + abnormal + unhandled,
    errored: errored + crashed + abnormal + unhandled,
    crashed,
    abnormal,
    release: counts.attributes.release,
    environment: counts.attributes.environment,
  };
}
