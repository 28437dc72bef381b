import { randomUUID } from "node:crypto";
import { type ShownAlerts, type ShownChannel, shownAlerts } from "../administration/alert-administration.ts";
import { previewRule } from "../alert-rules/preview-rule.ts";
import { AlertOutbox, type ChannelState } from "../alerts/alert-outbox.ts";
import type { AlertRule } from "../alerts/alert-settings.ts";
import { mailServerOf } from "../alerts/channels/mail.ts";
import { createSend } from "../alerts/channels/send.ts";
import { describeTest } from "../alerts/messages/describe-test.ts";
import { consoleAddressOf } from "../last-address.ts";
import type { SharedState } from "../shared/shared-state.ts";
import type { StoreReader } from "../stores/store.ts";

/** The alerts of a project, and what became of the messages of each channel. */
export interface AlertsAnswer extends Omit<ShownAlerts, "channels"> {
  readonly channels: readonly (ShownChannel & ChannelState)[];
  /** Whether mails can be sent at all. */
  readonly hasMailServer: boolean;
}

export type TestedChannel =
  | { readonly kind: "sent" }
  /** In words that say what to change. */
  | { readonly kind: "failed"; readonly why: string };

export interface AlertsApi {
  of(project: number): Promise<AlertsAnswer>;
  /** Sends a message at once, past quiet hours and rules. Undefined if the channel was removed. */
  sendTest(project: number, channel: string): Promise<TestedChannel | undefined>;
  /** How often a rule would have fired in the last week. Undefined where nothing of the past is known. */
  preview(project: number, rule: AlertRule): Promise<number | undefined>;
}

export interface AlertsApiDeps {
  readonly dataFolder: string;
  readonly shared: SharedState;
  readonly store: () => Promise<StoreReader>;
  readonly now: () => number;
}

export function openAlertsApi({ dataFolder, shared, store, now }: AlertsApiDeps): AlertsApi {
  const alertsOf = (project: number) => shared.alertSettings.of(project);
  const mailServer = mailServerOf(process.env);
  const send = createSend({ allowedHosts: (project) => alertsOf(project).allowedHosts, mailServer, now });
  /** Nothing is created for a project without channels. */
  const statesOf = async (project: number): Promise<ReadonlyMap<string, ChannelState>> => {
    if (alertsOf(project).channels.length === 0) return new Map();
    const tables = shared.alertTables();
    const states = await new AlertOutbox(tables.shared, now).channelStates(project);
    if (tables.own === tables.shared) return states;
    return withLater(states, await new AlertOutbox(tables.own, now).channelStates(project));
  };
  return {
    async of(project) {
      const states = await statesOf(project);
      const shown = shownAlerts(alertsOf(project));
      const none: ChannelState = { sentAt: undefined, failure: undefined, waiting: 0 };
      return {
        ...shown,
        channels: shown.channels.map((channel) => ({ ...channel, ...(states.get(channel.id) ?? none) })),
        hasMailServer: mailServer !== undefined,
      };
    },
    preview: async (project, rule) => previewRule({ store: await store(), now: now() }, project, rule),
    async sendTest(project, id) {
      const named = alertsOf(project).channels.find((one) => one.id === id);
      const known = shared.projects.byId(project);
      if (named === undefined || known === undefined) return undefined;
      const key = `test ${randomUUID()}`;
      const message = describeTest({
        id: key,
        project: { id: known.id, name: known.name },
        console: consoleAddressOf(dataFolder) ?? "",
        at: now(),
      });
      const outcome = await send(named.channel, message);
      const end = outcome.kind === "sent" ? outcome : ({ kind: "given-up", why: outcome.why } as const);
      await new AlertOutbox(shared.alertTables().shared, now).addEnded({ id: key, project, channel: id, end });
      return outcome.kind === "sent" ? outcome : { kind: "failed", why: outcome.why };
    },
  };
}

/** Of each channel, the later success and the later failure. */
function withLater(
  one: ReadonlyMap<string, ChannelState>,
  other: ReadonlyMap<string, ChannelState>,
): ReadonlyMap<string, ChannelState> {
  const both = new Map(one);
  for (const [channel, state] of other) {
    const known = both.get(channel) ?? state;
    both.set(channel, {
      sentAt: Math.max(known.sentAt ?? 0, state.sentAt ?? 0) || undefined,
      failure: (known.failure?.at ?? 0) >= (state.failure?.at ?? 0) ? known.failure : state.failure,
      waiting: known === state ? state.waiting : known.waiting + state.waiting,
    });
  }
  return both;
}
