interface Spike {
  lastAt: number;
  dropped: number;
  perMinute: number;
  usual: number;
}

/** A spike that has errors of the last minutes is not over. */
const overMs = 5 * 60_000;

/** Says in one sentence what spike protection has dropped. */
export function spikeWords(spike: Spike | undefined, now: number): string | undefined {
  if (spike === undefined) return undefined;
  const [dropped, worst, usual] = [spike.dropped, spike.perMinute, spike.usual].map((n) => n.toLocaleString("en"));
  const rate = `up to ${worst} errors in a minute arrived, usually ${usual}`;
  return now - spike.lastAt < overMs
    ? `Spike protection drops repeated errors: ${dropped} so far. ${rate[0]?.toUpperCase()}${rate.slice(1)}.`
    : `Spike protection dropped ${dropped} repeated errors in the last day, when ${rate}. Every issue is here.`;
}
