import { problemTypes } from "../../check-ins/problem-envelope.ts";
import type { IssueRecord } from "../../stores/records.ts";

const checkInTypes: ReadonlySet<string> = new Set(Object.values(problemTypes));

/** Whether an issue is about a scheduled task that was missed, late, too long or failed. */
export function isCheckIn({ type }: IssueRecord): boolean {
  return type !== undefined && checkInTypes.has(type);
}

export function isError(issue: IssueRecord): boolean {
  return !isCheckIn(issue);
}
