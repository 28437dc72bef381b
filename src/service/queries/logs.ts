import { hourMs } from "../clock.ts";
import type { LogLine } from "../stores/filed.ts";
import { type IssueFilter, readFilter } from "../stores/filter-language.ts";
import { levelNames, routeOfLine } from "../stores/log-filter.ts";
import { matcherOf } from "../stores/match-terms.ts";
import { unitOf } from "../stores/series-step.ts";
import type { LogCount, LogCursor, LogPage } from "../stores/store-requests.ts";
import { levelAndEnvironment, logCount } from "../stores/values/page-counts.ts";
import { type Period, stepOf } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { scanLimits } from "./scan-limits.ts";

export interface LogsQuestion {
  project: number;
  /** In the filter language: words, `level:`, `environment:`, `release:`, `trace:`, and names of attributes. */
  filter: string;
  period: Period;
  /** Cursor from the previous page. */
  after?: string | undefined;
  limit?: number;
}

export interface LogsAnswer {
  /** Newest first. */
  lines: readonly ListedLine[];
  /** Cursor of the next page. Undefined on the last. There may be one although this page has no lines. */
  next?: string;
  /** All newer lines were searched. Undefined if the whole period was. */
  searchedFrom: number | undefined;
}

export interface ListedLine extends LogLine {
  /** Identifies it in the list. */
  place: string;
  route: string | undefined;
}

/** Lines by level and time. */
export interface LogChart {
  /** Beginning of each bar, oldest first. */
  bars: readonly { at: number; levels: Readonly<Partial<Record<LogLine["level"], number>>> }[];
  barMs: number;
  /** Only newer lines are counted. Undefined if all of the period are. */
  countedFrom: number | undefined;
}

/** Two screens of a laptop. */
const usualLimit = 100;
const mostAtOnce = 1_000;
const mostBars = 60;
/** Counters are by hour: of a shorter time, the lines themselves are counted. */
const shortestCountedMs = 6 * hourMs;

export async function logs({ store, limits = scanLimits }: QueryContext, question: LogsQuestion): Promise<LogsAnswer> {
  const { project, period } = question;
  const after = question.after === undefined ? undefined : readLogCursor(question.after);
  const limit = Math.min(Math.max(1, question.limit ?? usualLimit), mostAtOnce);
  const filter = readFilter(question.filter);
  const page = await store.logs({ project, ...period, filter, after, limit, mostLines: limits.logLines });
  return answerOf(page);
}

function answerOf({ lines, next, searchedFrom }: LogPage): LogsAnswer {
  return {
    lines: lines.map((line) => ({ ...line, place: writeLogCursor(line.place), route: routeOfLine(line) })),
    ...(next && { next: writeLogCursor(next) }),
    searchedFrom,
  };
}

/** Counts lines from the counters where the filter allows it, else in the newest lines of the period. */
export async function logChart(
  { store, limits = scanLimits }: QueryContext,
  question: LogsQuestion,
): Promise<LogChart> {
  const { project, period } = question;
  const filter = readFilter(question.filter);
  if (period.to - period.from >= shortestCountedMs && isCounted(filter)) {
    const step = stepOf(period);
    const records = await store.counts({ project, step, ...period, name: logCount });
    const matches = matcherOf(filter);
    const counts = records.flatMap(({ label, at, n }): LogCount[] => {
      const { level, environment } = levelAndEnvironment(label);
      const valuesOf = (field: string) => (field === "level" ? levelNames(level) : environment ? [environment] : []);
      // The store has written the label from a level.
      return matches({ text: "", valuesOf }) ? [{ at, level: level as LogLine["level"], n }] : [];
    });
    return chartOf(counts, period, unitOf(step), undefined);
  }
  const countEveryMs = Math.max(1_000, Math.ceil((period.to - period.from) / mostBars / 1_000) * 1_000);
  const page = await store.logs({
    project,
    ...period,
    filter,
    limit: 1,
    mostLines: limits.logLines,
    countEveryMs,
  });
  return chartOf(page.counts, period, countEveryMs, page.searchedFrom);
}

/** Counters know level and environment. */
function isCounted({ words, terms }: IssueFilter): boolean {
  return words.length === 0 && terms.every(({ field }) => field === "level" || field === "environment");
}

function chartOf(
  counts: readonly LogCount[],
  { from, to }: Period,
  barMs: number,
  countedFrom: number | undefined,
): LogChart {
  const first = Math.floor(from / barMs) * barMs;
  const bars = Array.from({ length: Math.floor((to - first) / barMs) + 1 }, (_, n) => {
    const levels: Partial<Record<LogLine["level"], number>> = {};
    return { at: first + n * barMs, levels };
  });
  for (const { at, level, n } of counts) {
    const levels = bars[Math.floor((at - first) / barMs)]?.levels;
    if (levels !== undefined) levels[level] = (levels[level] ?? 0) + n;
  }
  return { bars, barMs, countedFrom };
}

function writeLogCursor({ at, block, index }: LogCursor): string {
  return [at, block, index].map((part) => part.toString(36)).join(".");
}

/** Returns undefined for an invalid cursor, which means the first page. */
export function readLogCursor(text: string): LogCursor | undefined {
  if (!/^[\da-z]{1,11}(?:\.[\da-z]{1,11}){2}$/.test(text)) return undefined;
  const [at = 0, block = 0, index = 0] = text.split(".").map((part) => Number.parseInt(part, 36));
  return { at, block, index };
}
