import { randomUUID } from "node:crypto";
import { type ShownAlerts, type ShownChannel, shownAlerts } from "../administration/alert-administration.ts";
import { AlertOutbox, type ChannelState } from "../alerts/alert-outbox.ts";
import { mailServerOf } from "../alerts/channels/mail.ts";
import { createSend } from "../alerts/channels/send.ts";
import { describeTest } from "../alerts/messages/describe-test.ts";
import { consoleAddressOf } from "../last-address.ts";
import type { SharedState } from "../shared/shared-state.ts";

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
}

export interface AlertsApiDeps {
  readonly dataFolder: string;
  readonly shared: SharedState;
  readonly now: () => number;
}

export function openAlertsApi({ dataFolder, shared, now }: AlertsApiDeps): AlertsApi {
  const alertsOf = (project: number) => shared.alertSettings.of(project);
  const mailServer = mailServerOf(process.env);
  const send = createSend({ allowedHosts: (project) => alertsOf(project).allowedHosts, mailServer, now });
  /** Nothing is created for a project without channels. */
  const statesOf = async (project: number): Promise<ReadonlyMap<string, ChannelState>> => {
    if (alertsOf(project).channels.length === 0) return new Map();
    return new AlertOutbox(shared.alertTables().shared, now).channelStates(project);
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
