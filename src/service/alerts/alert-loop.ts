import type { Project } from "../projects.ts";
import type { StoreReader } from "../stores/store.ts";
import type { AlertRule, NamedChannel, ProjectAlerts, RuleKind } from "./alert-settings.ts";
import { findNewIssues, findRegressions, type IssueAlertsFound } from "./find-issue-alerts.ts";
import { describeIssue } from "./messages/describe-issue.ts";
import type { Outbox, WaitingNotice } from "./outbox.ts";
import type { PostOutcome } from "./outgoing/post-safely.ts";
import { type FloodLimits, type FoundAlert, floodLimits, planNotices } from "./plan-notices.ts";
import { sendableAt } from "./quiet-hours.ts";
import { type RetryLimits, retryLimits, sendDue } from "./send-due.ts";

export interface AlertLoopDeps {
  readonly store: Pick<StoreReader, "issueNews" | "issue" | "event">;
  readonly outbox: Outbox;
  readonly projects: () => readonly Project[];
  readonly alertsOf: (project: number) => ProjectAlerts;
  /** Address of the console. Undefined until somebody has opened it: then messages have nowhere to lead. */
  readonly console: () => string | undefined;
  readonly send: (channel: NamedChannel, notice: WaitingNotice) => Promise<PostOutcome>;
  /** Whether this process is the one that sends. */
  readonly lease: () => Promise<boolean>;
  readonly now: () => number;
  readonly limits?: { readonly flood?: FloodLimits; readonly retry?: RetryLimits };
}

/** Looks for what the rules of all projects report, and sends it. One turn after the other, in one process of all. */
export class AlertLoop {
  readonly #deps: AlertLoopDeps;
  readonly #flood: FloodLimits;

  constructor(deps: AlertLoopDeps) {
    this.#deps = deps;
    this.#flood = deps.limits?.flood ?? floodLimits;
  }

  async turn(): Promise<void> {
    const { lease, projects, outbox, alertsOf, send, now, limits } = this.#deps;
    if (!(await lease())) return;
    for (const project of projects()) await this.#look(project, alertsOf(project.id));
    const channelOf = (project: number, id: string): NamedChannel | undefined =>
      alertsOf(project).channels.find((channel) => channel.id === id);
    await sendDue({ outbox, channelOf, send, now, limits: limits?.retry ?? retryLimits });
    await outbox.forgetBefore(now() - this.#flood.sameIssueMs);
  }

  async #look(project: Project, alerts: ProjectAlerts): Promise<void> {
    if (alerts.channels.length === 0) return;
    await this.#lookFor("new-issue", project, alerts, findNewIssues);
    await this.#lookFor("regression", project, alerts, findRegressions);
  }

  async #lookFor(kind: RuleKind, project: Project, alerts: ProjectAlerts, find: typeof findNewIssues): Promise<void> {
    const { store, outbox, now } = this.#deps;
    const rule = alerts.rules.find((one) => one.kind === kind);
    if (rule === undefined) return;
    const cursor = await outbox.cursor(project.id, kind);
    const atMost = this.#flood.messages;
    const found = await find(store, { project: project.id, rule, cursor, atMost });
    if (found.cursor === cursor) return;
    const plan = planNotices(this.#describe(project, rule, found), found.more, {
      project: project.id,
      channels: alerts.channels,
      recent: await outbox.addedSince(project.id, now() - this.#flood.windowMs),
      dueAt: sendableAt(now(), alerts.quietHours),
      now: now(),
      limits: this.#flood,
    });
    await outbox.add(plan.notices, { project: project.id, name: kind, value: found.cursor });
  }

  #describe(project: Project, rule: AlertRule, { found }: IssueAlertsFound): FoundAlert[] {
    const console = this.#deps.console() ?? "";
    return found.map(({ key, reason, issue, event }) => ({
      key,
      rule,
      message: describeIssue({ id: key, reason, project, console }, issue, event),
    }));
  }
}
