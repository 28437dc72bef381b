import type { AlertOutbox, WaitingNotice } from "./alert-outbox.ts";
import type { NamedChannel } from "./alert-settings.ts";
import type { PostOutcome } from "./outgoing/post-safely.ts";

/** None of them is a setting: a channel that is away longer needs a person, who sees its failure in the console. */
export interface RetryLimits {
  /** The first pause after a failure. Each following one is twice as long. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** A message that cannot be sent for so long is given up: by then a person has looked at the console. */
  readonly giveUpMs: number;
  /** Longer than the longest attempt, so that no other process sends the same message meanwhile. */
  readonly claimMs: number;
  readonly atOnce: number;
}

/** With these a channel that fails for an hour is tried about a dozen times and gets its messages afterwards. */
export const retryLimits: RetryLimits = {
  firstMs: 5_000,
  longestMs: 600_000,
  giveUpMs: 86_400_000,
  claimMs: 60_000,
  atOnce: 100,
};

export interface SendDueDeps {
  readonly outbox: Pick<AlertOutbox, "due" | "claim" | "end" | "tryLater">;
  readonly channelOf: (project: number, id: string) => NamedChannel | undefined;
  readonly send: (channel: NamedChannel, notice: WaitingNotice) => Promise<PostOutcome>;
  readonly now: () => number;
  readonly limits: RetryLimits;
  /** No further message is begun then. */
  readonly isEnding?: () => boolean;
}

/** Sends what is due: channels beside each other, so that a slow one delays no other, messages of each in turn. */
export async function sendDue(deps: SendDueDeps): Promise<void> {
  const byChannel = Map.groupBy(await deps.outbox.due(deps.limits.atOnce), ({ channel }) => channel);
  await Promise.all(Array.from(byChannel.values(), (notices) => sendInTurn(notices, deps)));
}

async function sendInTurn(notices: readonly WaitingNotice[], deps: SendDueDeps): Promise<void> {
  for (const notice of notices) {
    if (deps.isEnding?.()) return;
    if ((await sendOne(notice, deps)) === "failed") return;
  }
}

async function sendOne(notice: WaitingNotice, deps: SendDueDeps): Promise<"ended" | "failed"> {
  const { outbox, channelOf, send, now, limits } = deps;
  if (!(await outbox.claim(notice, limits.claimMs))) return "ended";
  const channel = channelOf(notice.project, notice.channel);
  const outcome: PostOutcome =
    channel === undefined ? { kind: "refused", why: "The channel was removed." } : await send(channel, notice);
  if (outcome.kind === "sent") {
    await outbox.end(notice.id, { kind: "sent" });
    return "ended";
  }
  const isTooOld = now() - notice.createdAt >= limits.giveUpMs;
  if (outcome.kind === "refused" || isTooOld) {
    await outbox.end(notice.id, { kind: "given-up", why: outcome.why });
    return "ended";
  }
  const pause = Math.min(limits.firstMs * 2 ** notice.tries, limits.longestMs);
  const asked = (outcome.retryAfterSeconds ?? 0) * 1_000;
  await outbox.tryLater(notice, now() + Math.max(pause, Math.min(asked, limits.longestMs)), outcome.why);
  return "failed";
}
