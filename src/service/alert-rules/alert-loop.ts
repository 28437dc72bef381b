import type { AlertOutbox, WaitingNotice } from "../alerts/alert-outbox.ts";
import type { NamedChannel, ProjectAlerts } from "../alerts/alert-settings.ts";
import { describeSummary } from "../alerts/messages/describe-summary.ts";
import type { PostOutcome } from "../alerts/outgoing/post-safely.ts";
import { type FloodLimits, floodLimits, planNotices } from "../alerts/plan-notices.ts";
import { quietUntil } from "../alerts/quiet-hours.ts";
import { type RetryLimits, retryLimits, sendDue } from "../alerts/send-due.ts";
import type { Project } from "../projects.ts";
import type { StoreReader } from "../stores/store.ts";
import { type LookLimits, lookLimits } from "./looks/found-issues.ts";
import { namedProject, type RuleLook } from "./looks/rule-look.ts";
import { ruleLooks } from "./looks/rule-looks.ts";
import { type AlertedProject, type Trouble, TroubleWatch } from "./service-trouble.ts";
import { addSummaryMail } from "./summary-mail.ts";

export interface AlertLoopDeps {
  /** Called when there is something to look for. */
  readonly store: () => Promise<StoreReader>;
  /** `own` is the same where one process has the store. */
  readonly outboxes: () => { readonly shared: AlertOutbox; readonly own: AlertOutbox };
  readonly projects: () => readonly Project[];
  readonly alertsOf: (project: number) => ProjectAlerts;
  /** What is wrong with this service now. */
  readonly trouble: () => readonly Trouble[];
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

/** Looks for what the rules of all projects report, and sends it. One turn after the other, in one process of all. */
export class AlertLoop {
  readonly #deps: AlertLoopDeps;
  readonly #flood: FloodLimits;
  readonly #troubleWatch = new TroubleWatch();
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
    const { projects, alertsOf, console: addressOf } = this.#deps;
    const alerted = projects()
      .map((project) => ({ project, alerts: alertsOf(project.id) }))
      .filter(({ alerts }) => alerts.channels.length > 0);
    const console = addressOf();
    if (alerted.length === 0 || console === undefined) return;
    await this.#attempt(() => this.#lookForTrouble(alerted, console));
    await this.#attempt(async () => {
      if (await this.#deps.lease()) await this.#lookInStore(alerted, console);
    });
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

  /** Without the store, which may be what is wrong. */
  async #lookForTrouble(alerted: readonly AlertedProject[], console: string): Promise<void> {
    const { outboxes, trouble, now } = this.#deps;
    const { own, shared } = outboxes();
    const look = { alerted, outbox: own, trouble: trouble(), console, now: now(), flood: this.#flood };
    await this.#troubleWatch.look(look);
    if (own !== shared) await this.#send(own, alerted);
  }

  async #lookInStore(alerted: readonly AlertedProject[], console: string): Promise<void> {
    for (const one of alerted) {
      for (const look of ruleLooks) await this.#attempt(() => this.#look(look, one, console));
      await this.#attempt(() => this.#summaryMail(one, console));
    }
    await this.#attempt(() => this.#send(this.#deps.outboxes().shared, alerted));
  }

  async #look({ kind, look }: RuleLook, { project, alerts }: AlertedProject, console: string): Promise<void> {
    const { now, limits, store, outboxes } = this.#deps;
    const { shared } = outboxes();
    const rule = alerts.rules.find((one) => one.kind === kind);
    if (rule === undefined) return;
    const known = await shared.cursors(project.id);
    const { found, more, cursors } = await look({
      store: await store(),
      project,
      rule,
      cursor: (name) => known.get(name),
      cursors: known,
      now: now(),
      console,
      limits: limits?.look ?? lookLimits,
    });
    if (found.length + more + cursors.length === 0) return;
    const plan = planNotices(
      { found, rule, more },
      {
        project: project.id,
        channels: alerts.channels,
        recent: await shared.addedSince(project.id, now() - this.#flood.windowMs),
        quietUntil: quietUntil(now(), alerts.quietHours),
        now: now(),
        limits: this.#flood,
        describeSummary: (id, count, items) =>
          describeSummary({ project: namedProject(project), console, at: now() }, id, count, items),
      },
    );
    await shared.add({ ...plan, cursors: cursors.map((cursor) => ({ project: project.id, ...cursor })) });
  }

  async #summaryMail(alerted: AlertedProject, console: string): Promise<void> {
    if (alerted.alerts.summaryMail === "off") return;
    const { store, outboxes, now } = this.#deps;
    await addSummaryMail({ ...alerted, store: await store(), now: now(), outbox: outboxes().shared, console });
  }

  async #send(outbox: AlertOutbox, alerted: readonly AlertedProject[]): Promise<void> {
    const { send, now, limits } = this.#deps;
    const channelOf = (project: number, id: string): NamedChannel | undefined =>
      alerted.find((one) => one.project.id === project)?.alerts.channels.find((channel) => channel.id === id);
    const isEnding = (): boolean => this.#isEnding;
    await sendDue({ outbox, channelOf, send, now, limits: limits?.retry ?? retryLimits, isEnding });
    await outbox.forgetBefore(now() - keepOutcomesMs);
  }
}
