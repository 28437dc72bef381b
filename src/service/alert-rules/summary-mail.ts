import type { AlertOutbox } from "../alerts/alert-outbox.ts";
import type { ProjectAlerts } from "../alerts/alert-settings.ts";
import { plainMessage } from "../alerts/messages/plain-message.ts";
import { dayMs, hourMs } from "../clock.ts";
import { titleLine } from "../grouping/title.ts";
import type { Project } from "../projects.ts";
import { sessionHealth } from "../queries/crash-free.ts";
import type { QueryContext } from "../queries/query-context.ts";
import { everyIssue } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import { errorCount } from "../stores/values/page-counts.ts";
import { namedProject } from "./looks/rule-look.ts";

/** People read it when they begin to work. */
const hourOfDay = 8;
const cursorName = "summary-mail";
/** Issues in one mail. Their number is that of all, up to as many as are read. */
const issuesShown = 10;
const issuesRead = 200;

export interface SummaryMailDeps extends QueryContext {
  readonly project: Project;
  readonly alerts: ProjectAlerts;
  readonly outbox: AlertOutbox;
  readonly console: string;
}

/** Adds the summary of the last day or week to the outbox, for mail channels, once it is morning. */
export async function addSummaryMail(deps: SummaryMailDeps): Promise<void> {
  const { project, alerts, outbox, now } = deps;
  const last = (await outbox.cursors(project.id)).get(cursorName);
  const periodMs = alerts.summaryMail === "weekly" ? 7 * dayMs : dayMs;
  // Days may have 23 hours.
  if (alerts.summaryMail === "off" || (last !== undefined && now - last < periodMs - hourMs)) return;
  const due = lastMorning(now, alerts);
  if (last !== undefined && due <= last) return;
  const cursors = [{ project: project.id, name: cursorName, value: due }];
  const mailChannels = alerts.channels.filter(({ channel }) => channel.kind === "mail");
  const message = last === undefined ? undefined : await describePeriod(deps, { from: due - periodMs, to: due - 1 });
  const notices = mailChannels.flatMap(({ id }) =>
    message === undefined
      ? []
      : [
          {
            key: message.id,
            subject: cursorName,
            unlessSince: undefined,
            project: project.id,
            channel: id,
            message,
            dueAt: now,
          },
        ],
  );
  await outbox.add({ notices, summaries: [], cursors });
}

/** The last time at which it was this hour where the people are, on a Monday for a weekly mail. */
function lastMorning(now: number, { summaryMail, quietHours }: ProjectAlerts): number {
  const timeZone = quietHours?.timeZone ?? "UTC";
  const format = new Intl.DateTimeFormat("en", { weekday: "short", hour: "numeric", hourCycle: "h23", timeZone });
  const quarter = hourMs / 4;
  const isMorning = (at: number): boolean => {
    const parts = format.formatToParts(at);
    const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
    return Number(part("hour")) === hourOfDay && (summaryMail !== "weekly" || part("weekday") === "Mon");
  };
  let at = Math.floor(now / quarter) * quarter;
  for (let quarters = 0; !isMorning(at) && quarters < 8 * 96; quarters += 1) at -= quarter;
  // Its first quarter.
  while (isMorning(at - quarter)) at -= quarter;
  return at;
}

async function describePeriod(deps: SummaryMailDeps, { from, to }: { from: number; to: number }) {
  const { store, project, alerts, console } = deps;
  const isIn = (at: number): boolean => at >= from && at <= to;
  const step = alerts.summaryMail === "weekly" ? "day" : "hour";
  const [page, news, counts, sessions] = await Promise.all([
    store.issues({ project: project.id, filter: everyIssue, sort: "first-seen", limit: issuesRead }),
    store.issues({ project: project.id, filter: everyIssue, sort: "last-seen", limit: issuesRead }),
    store.counts({ project: project.id, step, from, to, name: errorCount }),
    store.sessions(project.id, from, to),
  ]);
  const fresh = page.issues.filter(({ firstSeen }) => isIn(firstSeen)).toSorted((a, b) => b.events - a.events);
  const again = news.issues.filter(({ state }) => state.kind === "regressed" && isIn(state.at));
  const errors = counts.reduce((sum, { n }) => sum + n, 0);
  const { crashFree } = sessionHealth(sessions);
  const id = `${cursorName} ${project.id}/${to + 1}`;
  const item = (label: string, issue: IssueRecord) => ({
    label,
    text: titleLine(issue.type, issue.title),
    note: [counted(issue.events, "event"), counted(issue.visitors, "visitor"), issue.route ?? ""]
      .filter((part) => part !== "")
      .join(" · "),
    link: `${console}/${project.id}/issues/${issue.number}`,
  });
  const items = [...again.map((issue) => item("Happens again", issue)), ...fresh.map((issue) => item("New", issue))];
  const returning = again.length === 0 ? "" : `${again.length.toLocaleString("en-US")} came back, `;
  const health = crashFree === undefined ? "" : `, ${(crashFree * 100).toFixed(1)} % of sessions without a crash`;
  return {
    ...plainMessage(namedProject(project), to + 1),
    id,
    reason: alerts.summaryMail === "weekly" ? "Last week" : "Last day",
    title: `${counted(fresh.length, "new issue") || "no new issues"}, ${returning}${counted(errors, "error") || "no errors"}${health}`,
    level: "info",
    link: `${console}/${project.id}`,
    about: `holdfast-${project.id}-summary-mail`,
    items: items.slice(0, issuesShown),
    itemsInAll: items.length,
  };
}

/** Empty for none. */
function counted(n: number, one: string): string {
  return n === 0 ? "" : `${n.toLocaleString("en-US")} ${n === 1 ? one : `${one}s`}`;
}
