import { type Period, readFilter } from "holdfast/service";

export interface LogsWish {
  project: number;
  filter: string;
  period: Period;
  after: string | undefined;
  /** As it was typed. */
  typed: string;
  problems: readonly string[];
}

/** Reads the question about logs from the address. */
export function logsQuestion(project: number, search: URLSearchParams, period: Period): LogsWish {
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const problems = readFilter(typed).states.length > 0 ? ["“is:” means nothing here: lines have no state."] : [];
  return { project, filter: typed, period, after: search.get("after") ?? undefined, typed, problems };
}
