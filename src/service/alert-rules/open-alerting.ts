import { AlertOutbox } from "../alerts/alert-outbox.ts";
import type { AlertTables } from "../alerts/alert-tables.ts";
import type { MailServer } from "../alerts/channels/mail.ts";
import { createSend } from "../alerts/channels/send.ts";
import type { OutgoingDeps } from "../alerts/outgoing/post-safely.ts";
import type { Clock } from "../clock.ts";
import { consoleAddressOf } from "../last-address.ts";
import type { SharedState } from "../shared/shared-state.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import { openStoreReader } from "../stores/open-store.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { AlertLoop, type AlertLoopDeps } from "./alert-loop.ts";
import { type AlertPace, alertPace, keepAlerting } from "./keep-alerting.ts";
import type { Trouble } from "./service-trouble.ts";

export interface AlertingDeps {
  readonly dataFolder: string;
  readonly at: StoreAddress;
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly mailServer: MailServer | undefined;
  readonly trouble: () => readonly Trouble[];
  readonly onFault: (error: unknown) => void;
  readonly options?: AlertingOptions | undefined;
}

/** For tests, and for services that need other limits. */
export interface AlertingOptions {
  readonly pace?: AlertPace;
  readonly limits?: AlertLoopDeps["limits"];
  readonly resolve?: OutgoingDeps["resolve"];
}

/**
 * Alerts of the process that files. It reads with a reader of its own, which never sees half a batch. Nothing is opened
 * before there is a channel.
 */
export function openAlerting({
  dataFolder,
  at,
  shared,
  clock,
  mailServer,
  trouble,
  onFault,
  options = {},
}: AlertingDeps): {
  close(): Promise<void>;
} {
  const { pace = alertPace, limits, resolve } = options;
  const alertsOf = shared.alertSettings.of;
  const now = (): number => clock.now();
  const send = createSend({
    allowedHosts: (project) => alertsOf(project).allowedHosts,
    mailServer,
    now,
    ...(resolve && { resolve }),
  });
  const reader = new LazyReader(() => openStoreReader(at));
  let outboxes: ReturnType<AlertLoopDeps["outboxes"]> | undefined;
  const loop = new AlertLoop({
    store: () => reader.get(),
    outboxes: () => {
      outboxes ??= outboxesOf(shared.alertTables(), now);
      return outboxes;
    },
    trouble,
    projects: () => shared.projects.all,
    alertsOf,
    console: () => consoleAddressOf(dataFolder),
    send: ({ channel }, { message }) => send(channel, message),
    lease: () => shared.alertTables().lease(pace.leaseMs),
    now,
    onFault,
    ...(limits && { limits }),
  });
  const running = keepAlerting(loop, pace);
  return {
    close: async () => {
      await running.close();
      await reader.close();
    },
  };
}

function outboxesOf(tables: AlertTables, now: () => number): { shared: AlertOutbox; own: AlertOutbox } {
  const shared = new AlertOutbox(tables.shared, now);
  return { shared, own: tables.own === tables.shared ? shared : new AlertOutbox(tables.own, now) };
}
