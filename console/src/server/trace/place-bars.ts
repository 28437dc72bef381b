/** Visible part of the clock. */
export interface AxisRange {
  fromMs: number;
  lastsMs: number;
}

export interface Period {
  fromMs: number;
  toMs: number;
}

/** Start and width in per cent of the axis, in turn: twice as compact as objects. */
export type Bars = readonly number[];

/** A narrower bar, or gap between bars, is not seen: 3 px of 600. */
const narrowest = 0.5;

/**
 * Places periods on the axis. Those with invisible gaps become one bar, so that there are never more than a hundred
 * bars, whatever the number of periods.
 */
export function placeBars(periods: readonly Period[], { fromMs, lastsMs }: AxisRange): Bars {
  const share = (ms: number): number => ((ms - fromMs) / (lastsMs || 1)) * 100;
  const bars: { from: number; to: number }[] = [];
  for (const { fromMs: begins, toMs: ends } of periods.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const [from, to] = [Math.max(0, share(begins)), Math.min(100, share(ends))];
    if (from > 100 || to < 0) continue;
    const last = bars.at(-1);
    if (last !== undefined && from - last.to < narrowest) last.to = Math.max(last.to, to);
    else bars.push({ from, to });
  }
  return bars.flatMap(({ from, to }) => {
    const start = Math.min(from, 100 - narrowest);
    return [round(start), round(Math.max(to - start, narrowest))];
  });
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}
