import type { ConsoleApi } from "holdfast/service";
import { many, percent } from "../parts/charts/numbers.ts";

type Overview = Awaited<ReturnType<ConsoleApi["overview"]>>;
type Usual = Overview["usual"];

/** The answer of the overview, in the order in which a person wants it. */
export type Finding =
  /** Errors are above what is usual, until now. `times` is missing where there usually are none. */
  | { kind: "above"; since: number; isOlder: boolean; times: string | undefined; release: string | undefined }
  /** No error in the last 24 hours. */
  | { kind: "quiet" }
  | { kind: "as-usual" }
  /** There is no history to compare with. */
  | { kind: "first-day"; errors: number };

export function findingOf({ deviation, errors, basis }: Usual): Finding {
  if (deviation !== undefined) {
    const { since, isOlder, times, release } = deviation;
    return { kind: "above", since, isOlder, times: times === undefined ? undefined : timesInWords(times), release };
  }
  if (errors.total === 0) return { kind: "quiet" };
  return basis.kind === "nothing" ? { kind: "first-day", errors: errors.total } : { kind: "as-usual" };
}

function timesInWords(times: number): string {
  return times < 10 ? times.toFixed(1).replace(/\.0$/, "") : String(Math.round(times));
}

/** What it meant for visitors. */
export function sentenceOf({ today, affected, usual }: Overview): string {
  const { crashFree, started } = today.sessions;
  const pages = usual.errorPages.total;
  return [
    // Errors without a known visitor say nothing about how many there were.
    affected.visitors === 0 ? "" : `${many(affected.visitors, "visitor")} met one in 24 hours.`,
    pages === 0 ? "No visitor saw an error page." : `${many(pages, "error page")} with a digest.`,
    crashFree === undefined ? "" : `${percent(crashFree, 1)} of ${many(started, "visit")} without a crash.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Which past the chart compares with. */
export function basisWords(basis: Usual["basis"]): string {
  switch (basis.kind) {
    case "four-weeks":
      return "Same time, last 4 weeks";
    case "days":
      return `Same time, last ${many(basis.days, "day")}`;
    case "last-day":
      return "The last 24 hours";
    case "nothing":
      return "Too little is known yet";
  }
}
