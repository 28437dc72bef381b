/**
 * When something happened, by a client's clock that may be wrong by years. The time at which the client says it sent
 * the envelope, against the time at which it came, shows by how much.
 */
export interface ClientTime {
  receivedAt: number;
  /** Added to every time of the envelope. */
  correction: number;
}

// Below a minute the difference is the way through the network and a clock as good as ours.
const clocksAgreeMs = 60_000;
// Clients keep reports while they are offline, but not for ever; an older time is a broken clock.
const oldestMs = 90 * 86_400_000;

export function clientTime(sentAt: number | undefined, receivedAt: number): ClientTime {
  const difference = sentAt === undefined ? 0 : receivedAt - sentAt;
  return { receivedAt, correction: Math.abs(difference) > clocksAgreeMs ? difference : 0 };
}

/** Never later than a minute after its arrival, so that nothing stays "newest" for ever; whole milliseconds. */
export function happenedAt(reported: number | undefined, time: ClientTime): number {
  const { receivedAt } = time;
  if (reported === undefined) return receivedAt;
  const at = Math.round(reported + time.correction);
  return at > receivedAt + clocksAgreeMs || at < receivedAt - oldestMs ? receivedAt : at;
}
