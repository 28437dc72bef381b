import type { AlertOutbox } from "../alerts/alert-outbox.ts";
import type { NamedChannel, ProjectAlerts } from "../alerts/alert-settings.ts";
import { describeSummary } from "../alerts/messages/describe-summary.ts";
import { plainMessage } from "../alerts/messages/plain-message.ts";
import { type FloodLimits, planNotices } from "../alerts/plan-notices.ts";
import { quietUntil } from "../alerts/quiet-hours.ts";
import type { Project } from "../projects.ts";
import { namedProject } from "./looks/rule-look.ts";

/** Something that is wrong with this service, on this machine. */
export interface Trouble {
  readonly kind: "disk" | "backlog" | "store-away" | "spike";
  readonly words: string;
}

/** A failover of a database takes half a minute and needs no operator. */
const lastsMs = 60_000;
/** Trouble that comes and goes is one trouble. */
const againAfterMs = 3_600_000;
/** Trouble belongs to no project. */
const noProject = 0;

export interface AlertedProject {
  readonly project: Project;
  readonly alerts: ProjectAlerts;
}

export interface TroubleLook {
  readonly alerted: readonly AlertedProject[];
  readonly outbox: AlertOutbox;
  readonly trouble: readonly Trouble[];
  readonly console: string;
  readonly now: number;
  readonly flood: FloodLimits;
}

/** Reports trouble when it has lasted a minute, and again only after it was gone. Each machine reports its own. */
export class TroubleWatch {
  readonly #since = new Map<Trouble["kind"], number>();

  async look({ alerted, outbox, trouble, console, now, flood }: TroubleLook): Promise<void> {
    for (const kind of this.#since.keys()) if (!trouble.some((one) => one.kind === kind)) this.#since.delete(kind);
    const known = await outbox.cursors(noProject);
    const gone = [...known].filter(([name, value]) => value > 0 && !trouble.some(({ kind }) => nameOf(kind) === name));
    if (gone.length > 0)
      await outbox.add({
        notices: [],
        summaries: [],
        cursors: gone.map(([name]) => ({ project: noProject, name, value: 0 })),
      });
    for (const one of trouble) {
      const since = this.#since.get(one.kind) ?? now;
      this.#since.set(one.kind, since);
      if (now - since < lastsMs || (known.get(nameOf(one.kind)) ?? 0) > 0) continue;
      await this.#report(one, { alerted, outbox, trouble, console, now, flood });
    }
  }

  /** Projects often have the same channel, which gets one message. */
  async #report({ kind, words }: Trouble, { alerted, outbox, console, now, flood }: TroubleLook): Promise<void> {
    const reached = new Set<string>();
    const plans = alerted.flatMap(({ project, alerts }) => {
      const rule = alerts.rules.find((one) => one.kind === "service");
      if (rule === undefined) return [];
      const key = `${nameOf(kind)} ${project.id}/${now}`;
      const message = {
        ...plainMessage(namedProject(project), now),
        id: key,
        reason: "The service has trouble",
        title: words,
        level: "fatal",
        link: `${console}/${project.id}/settings`,
        about: `holdfast-service-${kind}`,
      };
      const found = [{ key, subject: nameOf(kind), againAfterMs, message }];
      const plan = planNotices(
        { found, rule, more: 0 },
        {
          project: project.id,
          channels: alerts.channels.filter((channel) => isFirst(channel, reached)),
          recent: new Map(),
          quietUntil: quietUntil(now, alerts.quietHours),
          now,
          limits: flood,
          describeSummary: (id, count, items) =>
            describeSummary({ project: namedProject(project), console, at: now }, id, count, items),
        },
      );
      return [plan];
    });
    await outbox.add({
      notices: plans.flatMap(({ notices }) => notices),
      summaries: plans.flatMap(({ summaries }) => summaries),
      cursors: [{ project: noProject, name: nameOf(kind), value: now }],
    });
  }
}

function nameOf(kind: Trouble["kind"]): string {
  return `service ${kind}`;
}

function isFirst({ channel }: NamedChannel, reached: Set<string>): boolean {
  const target = JSON.stringify(channel);
  if (reached.has(target)) return false;
  reached.add(target);
  return true;
}
