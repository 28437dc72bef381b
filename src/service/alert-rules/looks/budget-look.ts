import { createHash } from "node:crypto";
import { plainMessage } from "../../alerts/messages/plain-message.ts";
import { dayMs, hourMs } from "../../clock.ts";
import { type BrokenBudget, brokenSince } from "./broken-budgets.ts";
import { type LookContext, namedProject, nothingNew, type RuleLook } from "./rule-look.ts";

/** Figures are counted by the hour, so that more often would show the same. */
const everyMs = 600_000;
const name = "budget";

/** Measures of routes that were within their bounds before the newest release and are not since. */
export const budgetLook: RuleLook = {
  kind: "budget",
  async look(context) {
    const { store, project, rule, cursor, now } = context;
    if (now - (cursor(name) ?? 0) < everyMs) return nothingNew;
    const cursors = [{ name, value: now }];
    const releases = await store.releases(project.id);
    const newest = releases.toSorted((a, b) => b.firstSeen - a.firstSeen)[0];
    if (cursor(name) === undefined || newest === undefined || newest.firstSeen < now - dayMs)
      return { found: [], more: 0, cursors };
    const broken = await brokenSince({ store, now }, { project: project.id, rule, since: newest.firstSeen });
    return { found: broken.map((one) => describe(one, newest.name, context)), more: 0, cursors };
  },
};

function describe({ route, measure, was, is, bound }: BrokenBudget, release: string, context: LookContext) {
  const { project, now, console } = context;
  const subject = `budget ${project.id}/${release}/${route}/${measure}`;
  return {
    key: subject,
    subject,
    againAfterMs: undefined,
    message: {
      ...plainMessage(namedProject(project), Math.floor(now / hourMs) * hourMs),
      // It becomes a header, and names of releases and routes may have characters that headers must not have.
      id: `budget ${project.id}/${createHash("sha256").update(subject).digest("hex").slice(0, 32)}`,
      reason: "Slower since a release",
      title: `${measure} of ${route} is ${is}, before ${was}; its bound is ${bound}`,
      level: "warning",
      route,
      release,
      link: `${console}/${project.id}/pages`,
      about: `holdfast-${project.id}-budget-${route}-${measure}`,
    },
  };
}
