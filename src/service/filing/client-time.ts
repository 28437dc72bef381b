import { clocksAgreeMs } from "../clock.ts";

/**
 * Corrects a client's clock, which may be wrong by years. The difference between the client's time of sending and the
 * time of arrival shows by how much.
 */
export interface ClientTime {
  receivedAt: number;
  /** Added to every time of the envelope. */
  correction: number;
}

// Clients hold reports while they are offline, but not for long. An older time is a broken clock.
const oldestMs = 90 * 86_400_000;

export function clientTime(sentAt: number | undefined, receivedAt: number): ClientTime {
  const difference = sentAt === undefined ? 0 : receivedAt - sentAt;
  return { receivedAt, correction: Math.abs(difference) > clocksAgreeMs ? difference : 0 };
}

/**
 * Returns the corrected time in whole milliseconds. At most a minute after the arrival, so that nothing stays "newest"
 * for long.
 */
export function happenedAt(reported: number | undefined, time: ClientTime): number {
  const { receivedAt } = time;
  if (reported === undefined) return receivedAt;
  const at = Math.round(reported + time.correction);
  return at > receivedAt + clocksAgreeMs || at < receivedAt - oldestMs ? receivedAt : at;
}
