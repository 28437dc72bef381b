import type { RuleKind } from "../../alerts/alert-settings.ts";
import { describeIssue } from "../../alerts/messages/describe-issue.ts";
import { dayMs } from "../../clock.ts";
import type { IssueRecord } from "../../stores/records.ts";
import type { IssueStore, IssuesFound, Look } from "./found-issues.ts";
import { namedProject, type RuleLook } from "./rule-look.ts";

export interface IssueLookOptions {
  readonly kind: RuleKind;
  readonly cursor: string;
  readonly find: (store: IssueStore, look: Look) => Promise<IssuesFound>;
  readonly isMeant: (issue: IssueRecord) => boolean;
}

/**
 * A number whose event is not counted after this time belongs to a report that never came: a service that was cut off
 * for a week has been started again since.
 */
const lateMs = 7 * dayMs;

/** A look that follows issues by a cursor. */
export function issueLook({ kind, cursor: name, find, isMeant }: IssueLookOptions): RuleLook {
  return {
    kind,
    async look({ store, project, rule, cursor, cursors, now, console, limits }) {
      const before = cursor(name);
      const late = lateIn(cursors, name, now - lateMs);
      const asked = { project: project.id, rule, cursor: before, late: [...late.keys()], limits, isMeant };
      const issues = await find(store, asked);
      return {
        found: issues.found.map(({ key, reason, issue, event, againAfterMs }) => ({
          key: `${kind} ${key}`,
          subject: `issue ${project.id}/${issue.number}`,
          againAfterMs,
          message: describeIssue(
            { id: `${kind} ${key}`, reason, project: namedProject(project), console },
            issue,
            event,
          ),
        })),
        more: issues.more,
        cursors: [
          ...(issues.cursor === before ? [] : [{ name, value: issues.cursor }]),
          ...issues.late
            .filter((number) => !late.has(number))
            .map((number) => ({ name: lateName(name, number), value: now })),
          ...[...cursors.keys()]
            .filter((one) => isLateOf(one, name) && !issues.late.includes(numberIn(one)))
            .map((one) => ({ name: one, value: undefined })),
        ],
      };
    },
  };
}

function lateName(cursor: string, number: number): string {
  return `${cursor} late ${number}`;
}

function isLateOf(name: string, cursor: string): boolean {
  return name.startsWith(`${cursor} late `);
}

function numberIn(name: string): number {
  return Number(name.slice(name.lastIndexOf(" ") + 1));
}

/** Late numbers with the time at which they were seen first. */
function lateIn(cursors: ReadonlyMap<string, number>, cursor: string, since: number): ReadonlyMap<number, number> {
  const late = [...cursors].filter(([name, at]) => isLateOf(name, cursor) && at >= since);
  return new Map(late.map(([name, at]) => [numberIn(name), at]));
}
