import type { Cookies } from "holdfast/server";
import { type Period, readFilter } from "holdfast/service";
import { environmentIn, withEnvironment } from "../own-choices.ts";

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
export function logsQuestion(
  project: number,
  { search, period, cookies }: { search: URLSearchParams; period: Period; cookies: Pick<Cookies, "get"> },
): LogsWish {
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const problems = readFilter(typed).states.length > 0 ? ["“is:” means nothing here: lines have no state."] : [];
  const filter = withEnvironment(typed, environmentIn(search, cookies));
  return { project, filter, period, after: search.get("after") ?? undefined, typed, problems };
}
