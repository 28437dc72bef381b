import type { NamedChannel } from "./alert-settings.ts";
import type { Outbox, WaitingNotice } from "./outbox.ts";
import type { PostOutcome } from "./outgoing/post-safely.ts";

export interface RetryLimits {
  /** The first pause after a failure. Each following one is twice as long. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** A message that cannot be sent for so long is given up: by then somebody has looked at the console. */
  readonly giveUpMs: number;
  readonly atOnce: number;
}

/** With these a channel that fails for an hour is tried about a dozen times and gets its messages afterwards. */
export const retryLimits: RetryLimits = {
  firstMs: 5_000,
  longestMs: 600_000,
  giveUpMs: 86_400_000,
  atOnce: 20,
};

export interface SendDueDeps {
  readonly outbox: Pick<Outbox, "due" | "end" | "tryLater">;
  readonly channelOf: (project: number, id: string) => NamedChannel | undefined;
  readonly send: (channel: NamedChannel, notice: WaitingNotice) => Promise<PostOutcome>;
  readonly now: () => number;
  readonly limits: RetryLimits;
}

/** Sends what is due, one after the other. Only the process that has the lease calls it. */
export async function sendDue(deps: SendDueDeps): Promise<number> {
  const { outbox, limits } = deps;
  const due = await outbox.due(limits.atOnce);
  for (const notice of due) await sendOne(notice, deps);
  return due.length;
}

async function sendOne(notice: WaitingNotice, { outbox, channelOf, send, now, limits }: SendDueDeps): Promise<void> {
  const channel = channelOf(notice.project, notice.channel);
  if (channel === undefined) return outbox.end(notice.id, { kind: "given-up", why: "The channel was removed." });
  const outcome = await send(channel, notice);
  if (outcome.kind === "sent") return outbox.end(notice.id, { kind: "sent" });
  const isTooOld = now() - notice.createdAt >= limits.giveUpMs;
  if (outcome.kind === "refused" || isTooOld) return outbox.end(notice.id, { kind: "given-up", why: outcome.why });
  const pause = Math.min(limits.firstMs * 2 ** notice.tries, limits.longestMs);
  const asked = (outcome.retryAfterSeconds ?? 0) * 1_000;
  await outbox.tryLater(notice.id, now() + Math.max(pause, Math.min(asked, limits.longestMs)), outcome.why);
}
