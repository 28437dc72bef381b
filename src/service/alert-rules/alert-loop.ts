import type { AlertOutbox, WaitingNotice } from "../alerts/alert-outbox.ts";
import type { NamedChannel, ProjectAlerts, RuleKind } from "../alerts/alert-settings.ts";
import { describeIssue } from "../alerts/messages/describe-issue.ts";
import { describeSummary } from "../alerts/messages/describe-summary.ts";
import type { PostOutcome } from "../alerts/outgoing/post-safely.ts";
import { type FloodLimits, type FoundAlert, floodLimits, planNotices } from "../alerts/plan-notices.ts";
import { quietUntil } from "../alerts/quiet-hours.ts";
import { type RetryLimits, retryLimits, sendDue } from "../alerts/send-due.ts";
import type { Project } from "../projects.ts";
import type { StoreReader } from "../stores/store.ts";
import { findNewIssues } from "./find-new-issues.ts";
import { findRegressions } from "./find-regressions.ts";
import { type IssuesFound, type LookLimits, lookLimits } from "./found-issues.ts";

export interface AlertLoopDeps {
  /** Called when there is something to look for. */
  readonly store: () => Promise<StoreReader>;
  readonly outbox: () => AlertOutbox;
  readonly projects: () => readonly Project[];
  readonly alertsOf: (project: number) => ProjectAlerts;
  /** Address of the console. Undefined until the service is reachable: until then nothing is looked for. */
  readonly console: () => string | undefined;
  readonly send: (channel: NamedChannel, notice: WaitingNotice) => Promise<PostOutcome>;
  /** Whether this process is the one that looks and sends, of all that share the store. */
  readonly lease: () => Promise<boolean>;
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
  readonly limits?: { readonly flood?: FloodLimits; readonly retry?: RetryLimits; readonly look?: LookLimits };
}

/** What became of a message is shown so long. */
const keepOutcomesMs = 30 * 86_400_000;

/** A project with a channel. */
interface Alerted {
  readonly project: Project;
  readonly alerts: ProjectAlerts;
}

/** Looks for what the rules of all projects report, and sends it. One turn after the other, in one process of all. */
export class AlertLoop {
  readonly #deps: AlertLoopDeps;
  readonly #flood: FloodLimits;
  #isEnding = false;

  constructor(deps: AlertLoopDeps) {
    this.#deps = deps;
    this.#flood = deps.limits?.flood ?? floodLimits;
  }

  /** The message that is being sent is finished; no other is begun. */
  end(): void {
    this.#isEnding = true;
  }

  /** Without a channel it does nothing but read the settings. */
  async turn(): Promise<void> {
    const { projects, alertsOf, console } = this.#deps;
    const alerted = projects()
      .map((project) => ({ project, alerts: alertsOf(project.id) }))
      .filter(({ alerts }) => alerts.channels.length > 0);
    const address = console();
    if (alerted.length === 0 || address === undefined || !(await this.#hasLease())) return;
    for (const one of alerted) await this.#attempt(() => this.#look(one, address));
    await this.#attempt(() => this.#send(alerted));
  }

  async #hasLease(): Promise<boolean> {
    let isHeld = false;
    await this.#attempt(async () => {
      isHeld = await this.#deps.lease();
    });
    return isHeld;
  }

  /** A fault in one project or channel does not end the others. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#isEnding) return;
    try {
      await work();
    } catch (error) {
      this.#deps.onFault(error);
    }
  }

  async #look(alerted: Alerted, console: string): Promise<void> {
    await this.#lookFor("new-issue", alerted, console, findNewIssues);
    await this.#lookFor("regression", alerted, console, findRegressions);
  }

  async #lookFor(
    kind: RuleKind,
    { project, alerts }: Alerted,
    console: string,
    find: typeof findNewIssues,
  ): Promise<void> {
    const { now, limits } = this.#deps;
    const outbox = this.#deps.outbox();
    const rule = alerts.rules.find((one) => one.kind === kind);
    if (rule === undefined) return;
    const cursor = (await outbox.cursors(project.id)).get(kind);
    const look = { project: project.id, rule, cursor, limits: limits?.look ?? lookLimits };
    const issues = await find(await this.#deps.store(), look);
    if (issues.cursor === cursor) return;
    const plan = planNotices(
      { found: describeAll(issues, project, console), rule, more: issues.more },
      {
        project: project.id,
        channels: alerts.channels,
        recent: await outbox.addedSince(project.id, now() - this.#flood.windowMs),
        quietUntil: quietUntil(now(), alerts.quietHours),
        now: now(),
        limits: this.#flood,
        describeSummary: (id, count, items) =>
          describeSummary({ project: namedProject(project), console, at: now() }, id, count, items),
      },
    );
    await outbox.add({ ...plan, cursors: [{ project: project.id, name: kind, value: issues.cursor }] });
  }

  async #send(alerted: readonly Alerted[]): Promise<void> {
    const { send, now, limits } = this.#deps;
    const outbox = this.#deps.outbox();
    const channelOf = (project: number, id: string): NamedChannel | undefined =>
      alerted.find((one) => one.project.id === project)?.alerts.channels.find((channel) => channel.id === id);
    const isEnding = (): boolean => this.#isEnding;
    await sendDue({ outbox, channelOf, send, now, limits: limits?.retry ?? retryLimits, isEnding });
    await outbox.forgetBefore(now() - keepOutcomesMs);
  }
}

function describeAll({ found }: IssuesFound, project: Project, console: string): FoundAlert[] {
  return found.map(({ key, reason, issue, event, isNews }) => ({
    key,
    subject: `issue ${project.id}/${issue.number}`,
    isNews,
    message: describeIssue({ id: key, reason, project: namedProject(project), console }, issue, event),
  }));
}

/** Without its key. */
function namedProject({ id, name }: Project): { id: number; name: string } {
  return { id, name };
}
