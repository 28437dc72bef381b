import type { LogChart } from "holdfast/service";

/** The chart of the levels as a few texts. Its field is 1,000 by 100. */
export interface LevelDrawing {
  bars: readonly { at: number; n: number; failed: number }[];
  barMs: number;
  /** The part of the bars that is usual, that warns, and that failed. */
  usual: string;
  warned: string;
  failed: string;
  summary: string;
  total: number;
}

const wide = 1_000;

export function drawLevels({ bars, barMs }: LogChart): LevelDrawing {
  const counted = bars.map(({ at, levels }) => {
    const failed = (levels.error ?? 0) + (levels.fatal ?? 0);
    const warned = levels.warn ?? 0;
    return { at, failed, warned, n: failed + warned + (levels.info ?? 0) + (levels.debug ?? 0) + (levels.trace ?? 0) };
  });
  const most = Math.max(1, ...counted.map(({ n }) => n));
  const slot = wide / Math.max(1, counted.length);
  const y = (value: number): number => Math.round((1 - value / most) * 1_000) / 10;
  const part = (of: (bar: (typeof counted)[number]) => readonly [from: number, to: number]): string =>
    counted
      .map((bar, place) => {
        const [from, to] = of(bar);
        if (to <= from) return "";
        const [x, width] = [Math.round((place + 0.14) * slot * 10) / 10, Math.round(0.72 * slot * 10) / 10];
        return `M${x} ${y(to)}h${width}V${y(from)}h-${width}z`;
      })
      .join("");
  const total = sum(counted.map(({ n }) => n));
  return {
    bars: counted.map(({ at, n, failed }) => ({ at, n, failed })),
    barMs,
    // What failed is at the foot, where its height is comparable.
    failed: part(({ failed }) => [0, failed]),
    warned: part(({ failed, warned }) => [failed, failed + warned]),
    usual: part(({ failed, warned, n }) => [failed + warned, n]),
    summary: `${total} lines, ${sum(counted.map(({ failed }) => failed))} of them errors`,
    total,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
