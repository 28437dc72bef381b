/** Values of equal steps, the oldest first. Undefined where nothing was measured. */
export type Steps = readonly (number | undefined)[];

/** What is usual: the median, and the 10th and the 90th percentile. */
export interface Bounds {
  readonly low: number;
  readonly usual: number;
  readonly high: number;
}

/** Which past a bound is made of. */
export type UsualBasis =
  | { readonly kind: "four-weeks" }
  /** The history is shorter, or has days on which nothing was measured. */
  | { readonly kind: "days"; readonly days: number }
  /** There is no day before: the last 24 hours themselves, all hours alike. */
  | { readonly kind: "last-day" }
  /** Too little was measured to say anything. */
  | { readonly kind: "nothing" };

/** Four weeks have each weekday equally often. */
export const daysOfHistory = 28;

/** The 10th percentile of fewer values is nothing but the lowest. Neighbouring steps of the same days are added. */
const leastValues = 20;

/** Two hours. Before, a single storm would be what is usual. */
const leastOfLastDay = 8;

/** Days before a step at whose time of day something was measured, up to four weeks. */
function daysBefore(steps: Steps, index: number, cycle: number): number[] {
  const days: number[] = [];
  for (let day = 1; day <= daysOfHistory && day * cycle <= index; day += 1)
    if (steps[index - day * cycle] !== undefined) days.push(day);
  return days;
}

export function basisOf(steps: Steps, shown: number, cycle: number): UsualBasis {
  const days = daysBefore(steps, steps.length - 1, cycle).length;
  if (days === daysOfHistory) return { kind: "four-weeks" };
  if (days > 0) return { kind: "days", days };
  const known = steps.slice(-shown).filter((value) => value !== undefined);
  return known.length >= leastOfLastDay ? { kind: "last-day" } : { kind: "nothing" };
}

/** Bounds of each of the last steps. Empty if there is nothing to compare with. */
export function usualBounds(steps: Steps, shown: number, cycle: number): readonly Bounds[] {
  const basis = basisOf(steps, shown, cycle);
  if (basis.kind === "nothing") return [];
  const first = steps.length - shown;
  // The first steps of a young project have no day before them.
  const before = steps.slice(Math.max(0, first - daysOfHistory * cycle), first).filter(isKnown);
  const flat = boundsOf(before.length > 0 ? before : steps.slice(first).filter(isKnown));
  return Array.from({ length: shown }, (_, n) => {
    const past = sameTimeBefore(steps, first + n, cycle);
    return past.length === 0 ? flat : boundsOf(past);
  });
}

/** Values of the same time of day in the four weeks before, with neighbouring steps. */
function sameTimeBefore(steps: Steps, index: number, cycle: number): number[] {
  const days = daysBefore(steps, index, cycle);
  const missing = leastValues / days.length - 1;
  const beside = cycle === 1 ? 0 : Math.max(1, Math.ceil(missing / 2));
  const values: number[] = [];
  for (const day of days)
    for (let near = -beside; near <= beside; near += 1) {
      const at = index - day * cycle + near;
      const value = at >= 0 && at < index ? steps[at] : undefined;
      if (value !== undefined) values.push(value);
    }
  return values;
}

/**
 * What is usual for several steps together: their sums on each of the days before. The last step may count only in part
 * (0 to 1). Undefined if no earlier day has them all.
 */
export function usualSum(
  steps: Steps,
  { from, to, lastPart = 1 }: { from: number; to: number; lastPart?: number },
  cycle: number,
): Bounds | undefined {
  const sums: number[] = [];
  for (let day = 1; day <= daysOfHistory; day += 1) {
    const window = steps.slice(Math.max(0, from - day * cycle), Math.max(0, to + 1 - day * cycle)).filter(isKnown);
    if (window.length !== to + 1 - from) continue;
    const last = window.at(-1) ?? 0;
    sums.push(window.reduce((sum, value) => sum + value, 0) - last * (1 - lastPart));
  }
  return sums.length === 0 ? undefined : boundsOf(sums);
}

export function boundsOf(values: readonly number[]): Bounds {
  // Numbers in a typed array are sorted without a call for each comparison.
  const sorted = new Float64Array(values).sort();
  const at = (index: number): number => sorted[index] ?? 0;
  const last = Math.max(0, sorted.length - 1);
  return {
    low: at(Math.floor(last * 0.1)),
    usual: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    high: at(Math.ceil(last * 0.9)),
  };
}

/**
 * The steps up to the last one that are above what is usual without a break, by their index among the last ones. The
 * running step ends it only when it is over.
 */
export function stepsAbove(
  values: readonly number[],
  bounds: readonly Bounds[],
): { first: number; last: number } | undefined {
  const isAbove = (index: number): boolean => (values[index] ?? 0) > (bounds[index]?.high ?? Number.POSITIVE_INFINITY);
  const running = values.length - 1;
  const last = isAbove(running) ? running : running - 1;
  if (!isAbove(last)) return undefined;
  let first = last;
  while (first > 0 && isAbove(first - 1)) first -= 1;
  return { first, last };
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined;
}
