import { digestOf } from "#protocol";
import { eventByIdOrDigest, type IssueToReplay, publicEvent, type StoreReader, systemClock } from "#service";
import { isMasked, type PastEvent, type PastEventReading, readPastEvent } from "../replay/past-event.ts";
import { isSafe } from "../replay/send-past-request.ts";

/** What is sent for an issue, or why nothing is. */
export type ReplayPlan =
  | { readonly kind: "send"; readonly event: PastEvent }
  | { readonly kind: "skip"; readonly why: string; readonly event: PastEvent | undefined };

export interface PlannedIssue extends IssueToReplay {
  readonly plan: ReplayPlan;
}

/** The newest events of an issue differ little: if none of these can be replayed, older ones cannot either. */
const eventsTried = 5;

/** Chooses the newest event of an issue whose request can be sent again. */
export async function planReplay(
  store: StoreReader,
  toReplay: IssueToReplay,
  options: { writes: boolean },
): Promise<PlannedIssue> {
  const { id, project } = toReplay.issue;
  const plans: ReplayPlan[] = [];
  for (const { eventId } of await store.eventsOf(project, id, { limit: eventsTried })) {
    const found = await eventByIdOrDigest({ store, now: systemClock.now() }, project, eventId);
    if (!found) continue;
    const plan = planOf(readPastEvent(publicEvent(found, undefined)), options);
    if (plan.kind === "send") return { ...toReplay, plan };
    plans.push(plan);
  }
  const plan = plans[0] ?? { kind: "skip", why: "none of its events is stored any more", event: undefined };
  return { ...toReplay, plan };
}

/** Says what can be done with one event. */
export function planOf(reading: PastEventReading, { writes }: { writes: boolean }): ReplayPlan {
  if (reading.kind === "damped")
    return { kind: "skip", why: "its newest events were not stored whole", event: undefined };
  if (reading.kind === "no-request") return { kind: "skip", why: "its events belong to no request", event: undefined };
  const { event } = reading;
  const why = whyNotSent(event, writes);
  return why === undefined ? { kind: "send", event } : { kind: "skip", why, event };
}

function whyNotSent(event: PastEvent, writes: boolean): string | undefined {
  if (event.side === "browser") return "it happened in a browser, and no request to the server repeats it";
  if (event.side === "unknown") return "a client that is not this application's server has reported it";
  if (isMasked(event)) return "a part of its address is a secret, which is never kept";
  if (!isSafe(event.method) && !writes) return `a write (${event.method})`;
  return undefined;
}

/** `GET /orders/7`, for people. */
export function requestText({ method, target }: PastEvent): string {
  return `${method} ${target}`;
}

export function digestOfEvent({ eventId }: PastEvent): string | undefined {
  return eventId === "" ? undefined : digestOf(eventId);
}
