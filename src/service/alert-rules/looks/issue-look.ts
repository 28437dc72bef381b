import type { RuleKind } from "../../alerts/alert-settings.ts";
import { describeIssue } from "../../alerts/messages/describe-issue.ts";
import type { IssueRecord } from "../../stores/records.ts";
import type { IssueStore, IssuesFound, Look } from "./found-issues.ts";
import { namedProject, type RuleLook } from "./rule-look.ts";

export interface IssueLookOptions {
  readonly kind: RuleKind;
  readonly cursor: string;
  readonly find: (store: IssueStore, look: Look) => Promise<IssuesFound>;
  readonly isMeant: (issue: IssueRecord) => boolean;
}

/** A look that follows issues by a cursor. */
export function issueLook({ kind, cursor: name, find, isMeant }: IssueLookOptions): RuleLook {
  return {
    kind,
    async look({ store, project, rule, cursor, console, limits }) {
      const before = cursor(name);
      const issues = await find(store, { project: project.id, rule, cursor: before, limits, isMeant });
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
        cursors: issues.cursor === before ? [] : [{ name, value: issues.cursor }],
      };
    },
  };
}
