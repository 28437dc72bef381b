import type { RuleKind } from "../../alerts/alert-settings.ts";
import { plainMessage } from "../../alerts/messages/plain-message.ts";
import { hourMs } from "../../clock.ts";
import type { RateOf } from "./rates.ts";
import { namedProject, nothingNew, type RuleLook } from "./rule-look.ts";

/** Everything of an hour is filed and counted so long after it. */
const settledMs = 120_000;

export interface RateLookOptions {
  readonly kind: RuleKind;
  readonly reason: string;
  readonly rate: RateOf;
}

/**
 * Compares each hour that has ended with the same hour of last week. It is reported when it becomes worse; then not
 * again before an hour was as usual.
 */
export function rateLook({ kind, reason, rate }: RateLookOptions): RuleLook {
  const broken = `${kind} broken`;
  return {
    kind,
    async look({ store, project, rule, cursor, now, console }) {
      const hour = Math.floor((now - settledMs) / hourMs) * hourMs - hourMs;
      const before = cursor(kind);
      if (before !== undefined && before >= hour) return nothingNew;
      const finding = before === undefined ? undefined : await rate(store, { project: project.id, rule, hour });
      const cursors = [
        { name: kind, value: hour },
        { name: broken, value: finding === undefined ? 0 : 1 },
      ];
      if (finding === undefined || cursor(broken) === 1) return { found: [], more: 0, cursors };
      const key = `${kind} ${project.id}/${hour}`;
      const message = {
        ...plainMessage(namedProject(project), hour + hourMs),
        id: key,
        reason,
        title: finding,
        level: "error",
        link: `${console}/${project.id}`,
        about: `holdfast-${project.id}-${kind}`,
      };
      const subject = `${kind} ${project.id}`;
      return { found: [{ key, subject, againAfterMs: 0, message }], more: 0, cursors };
    },
  };
}
