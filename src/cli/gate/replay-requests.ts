import type { GateLimits } from "#host";
import type { PastEvent } from "../replay/past-event.ts";
import { nothingHandedOver, type PastAnswer, sendPastRequest } from "../replay/send-past-request.ts";

/** Names the replay to the server, so that its errors can be attributed. */
export const replayHeader = "holdfast-replay";

/** What came back for one request, before its errors are looked up. */
export type SentReplay =
  | { readonly kind: "not-sent"; readonly why: string }
  | { readonly kind: "no-answer"; readonly seconds: number }
  | { readonly kind: "cut"; readonly why: string }
  | ({ readonly kind: "answered" } & PastAnswer);

export interface ReplayDeps {
  /** Origin of the new build. */
  readonly to: string;
  readonly limits: GateLimits;
  /** Monotonic, in milliseconds. */
  readonly elapsed: () => number;
}

/** Sends the requests, a few at a time. Those that have no time left are not sent. Results are in the same order. */
export async function replayRequests(events: readonly PastEvent[], deps: ReplayDeps): Promise<SentReplay[]> {
  const { limits, elapsed } = deps;
  const endsAt = elapsed() + limits.totalMs;
  const results: SentReplay[] = [];
  const waiting = events.entries();
  const work = async (): Promise<void> => {
    for (const [index, event] of waiting) results[index] = await replayOne(event, index, { ...deps, endsAt });
  };
  await Promise.all(Array.from({ length: limits.atOnce }, work));
  return results;
}

async function replayOne(
  event: PastEvent,
  index: number,
  { to, limits, elapsed, endsAt }: ReplayDeps & { endsAt: number },
): Promise<SentReplay> {
  const leftMs = endsAt - elapsed();
  const outOfTime: SentReplay = { kind: "not-sent", why: `out of time: ${limits.totalMs / 1_000} s for all issues` };
  if (leftMs <= 0) return outOfTime;
  const signal = AbortSignal.timeout(Math.ceil(Math.min(limits.requestMs, leftMs)));
  try {
    const headers = { [replayHeader]: String(index) };
    return {
      kind: "answered",
      ...(await sendPastRequest(event, { to, handedOver: nothingHandedOver, headers, signal })),
    };
  } catch (error) {
    if (!signal.aborted) return { kind: "cut", why: causeOf(error) };
    return leftMs < limits.requestMs ? outOfTime : { kind: "no-answer", seconds: limits.requestMs / 1_000 };
  }
}

/** `fetch` names the reason in the cause. */
function causeOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? cause.message : message;
}
