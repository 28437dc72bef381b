import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogLine } from "./filed.ts";
import { logMatcher, traceIn } from "./log-filter.ts";
import type { LogCount, LogCursor, LogPage, LogQuery } from "./store-requests.ts";
import { linesOf } from "./values/log-lines.ts";

/** Lines of one envelope. */
export interface LogBlock {
  id: number;
  /** Time of its newest line. */
  toAt: number;
  packed: Uint8Array;
}

/** Blocks of a project before one in the order (time, id), newest first. */
export interface LogBlockQuery {
  project: number;
  from: number;
  before: { toAt: number; id: number };
  /** Only blocks with a line of this trace. */
  traceId: string | undefined;
  limit: number;
}

export type ReadLogBlocks = (query: LogBlockQuery) => readonly LogBlock[] | Promise<readonly LogBlock[]>;

/** Blocks that are read from the store together. */
const blocksAtOnce = 50;
/** After so many opened lines, other work of the thread has a turn. They take about ten milliseconds. */
const linesAtOnce = 2_000;

/**
 * Time from the oldest line of a block to its newest. Filing divides longer blocks, so that a page of the list finds
 * all lines of a time near it. Clients send lines after five seconds at the latest.
 */
export const longestBlockMs = 10_000;

const lastOfAll = Number.MAX_SAFE_INTEGER;

/**
 * Reads one page of lines, newest first. Blocks overlap in time, so a line belongs to the page as soon as no unread
 * block can have a newer one. Never opens many more lines than the query allows: the cursor continues from there.
 */
export async function readLogPage(readBlocks: ReadLogBlocks, query: LogQuery): Promise<LogPage> {
  const search = new LogSearch(query);
  const { project, from } = query;
  const traceId = traceIn(query.filter);
  const newest = Math.min(query.to, query.after?.at ?? lastOfAll);
  let opened = 0;
  for (let before = { toAt: newest + longestBlockMs + 1, id: lastOfAll }; ; ) {
    const blocks = await readBlocks({ project, from, before, traceId, limit: blocksAtOnce });
    for (const block of blocks) {
      if (search.isOverBefore(block)) return search.pageUntil(block.toAt);
      opened += search.open(block);
      before = { toAt: block.toAt, id: block.id };
      if (opened < linesAtOnce) continue;
      opened = 0;
      await nextTurn();
    }
    if (blocks.length < blocksAtOnce) return search.pageUntil(undefined);
  }
}

interface FoundLine {
  readonly line: LogLine;
  readonly place: LogCursor;
}

class LogSearch {
  readonly #query: LogQuery;
  readonly #matches: (line: LogLine) => boolean;
  #found: FoundLine[] = [];
  #isFull = false;
  #opened = 0;
  readonly #counts = new Map<string, LogCount>();

  constructor(query: LogQuery) {
    this.#query = query;
    this.#matches = logMatcher(query.filter);
  }

  /** Whether nothing of this block and of later ones is needed. */
  isOverBefore({ toAt }: LogBlock): boolean {
    const { limit, after, countEveryMs, mostLines } = this.#query;
    if (!this.#isFull && this.#found.length >= limit)
      this.#isFull = this.#found.filter(({ place }) => place.at > toAt).length >= limit;
    if (this.#isFull && countEveryMs === undefined) return true;
    // The first blocks were opened for the page before too. Without an older one, there would be no progress.
    return this.#opened >= mostLines && toAt < (after?.at ?? lastOfAll);
  }

  /** Returns the number of its lines. */
  open({ id, toAt, packed }: LogBlock): number {
    const { from, to, after, countEveryMs } = this.#query;
    const lines = linesOf(packed);
    this.#opened += Math.max(1, lines.length);
    for (const [index, line] of lines.entries()) {
      if (line.at < from || line.at > to || !this.#matches(line)) continue;
      // Blocks of earlier versions may be longer. Their older lines are listed with the others.
      const place = { at: Math.max(line.at, toAt - longestBlockMs), block: id, index };
      if (after !== undefined && !isBefore(place, after)) continue;
      if (countEveryMs !== undefined) this.#count(line, countEveryMs);
      if (!this.#isFull) this.#found.push({ line, place });
    }
    return lines.length;
  }

  #count({ at, level }: LogLine, every: number): void {
    const start = Math.floor(at / every) * every;
    const key = `${start} ${level}`;
    const count = this.#counts.get(key) ?? { at: start, level, n: 0 };
    count.n += 1;
    this.#counts.set(key, count);
  }

  /** Everything is searched that is newer than this time. Without one, everything. */
  pageUntil(toAt: number | undefined): LogPage {
    const { limit } = this.#query;
    const sorted = this.#found.sort((a, b) => (isBefore(a.place, b.place) ? 1 : -1));
    const settled = toAt === undefined || this.#isFull ? sorted : sorted.filter(({ place }) => place.at > toAt);
    const lines = settled.slice(0, limit);
    const last = lines.at(-1)?.place;
    const isCut = lines.length === limit && (toAt !== undefined || settled.length > limit);
    const until = toAt === undefined ? undefined : { at: toAt, block: lastOfAll, index: 0 };
    const next = isCut ? last : until;
    return {
      lines: lines.map(({ line, place }) => ({ ...line, place })),
      ...(next && { next }),
      searchedFrom: toAt,
      counts: [...this.#counts.values()],
    };
  }
}

/** In the order of a list, a line is before those that are newer. */
function isBefore(one: LogCursor, other: LogCursor): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.block === other.block ? one.index < other.index : one.block < other.block;
}
