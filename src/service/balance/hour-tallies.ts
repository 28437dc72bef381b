import type { OpenEntry, TalliedBook } from "#protocol";
import { hourMs } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import type { BooksQuery } from "./hour-books.ts";

/** Both sides of one hour of submissions or navigations: those that began, and how they ended. */
export interface HourTally {
  readonly book: TalliedBook;
  readonly project: number;
  /** Since 1970. */
  readonly hour: number;
  readonly isClosed: boolean;
  readonly begun: number;
  /** How many have ended, by kind of end. */
  readonly ends: Readonly<Record<string, number>>;
  /** Their server says that they still run. */
  readonly running: number;
  readonly missing: readonly MissingEnd[];
}

export type MissingEnd = Pick<OpenEntry, "id" | "route" | "name" | "key"> & { readonly at: number };

/** Hours in which something began, oldest first. */
export async function readTallies(queries: RowQueries, query: BooksQuery): Promise<readonly HourTally[]> {
  const { project = null, from, to } = query;
  const rows = await queries.all<TallyRow>(
    `SELECT t.project, t.book, t.hour, t.ends, t.open, s.stated_at
     FROM holdfast.balance_tally t
     LEFT JOIN holdfast.balance_source s ON s.project = t.project AND s.source = t.source
     WHERE t.hour BETWEEN $1 AND $2 AND (CAST($3 AS bigint) IS NULL OR t.project = $3)
     ORDER BY t.hour, t.project, t.book, t.source`,
    from,
    to,
    project,
  );
  return [...Map.groupBy(rows, ({ project: of, book, hour }) => `${of} ${book} ${hour}`).values()].map((sources) =>
    tallyOf(sources, query),
  );
}

interface TallyRow {
  project: number;
  book: TalliedBook;
  hour: number;
  ends: string;
  open: string;
  stated_at: number | null;
}

function tallyOf(sources: readonly TallyRow[], { now, limits }: Pick<BooksQuery, "now" | "limits">): HourTally {
  const [{ project, book, hour }] = sources as [TallyRow, ...TallyRow[]];
  const ends: Record<string, number> = {};
  const missing: MissingEnd[] = [];
  let running = 0;
  for (const row of sources) {
    for (const [kind, n] of Object.entries<number>(JSON.parse(row.ends))) ends[kind] = (ends[kind] ?? 0) + n;
    const isHeardOf = row.stated_at !== null && row.stated_at > now - limits.waitingMs;
    // What is kept can be run, also if its server is not heard of any more.
    for (const { atMs, state, ...entry } of JSON.parse(row.open) as OpenEntry[])
      if (state === "kept" && !isHeardOf) ends.kept = (ends.kept ?? 0) + 1;
      else if (state !== "lost" && isHeardOf) running += 1;
      else missing.push({ ...entry, at: atMs });
  }
  const ended = Object.values(ends).reduce((sum, n) => sum + n, 0);
  return {
    book,
    project,
    hour,
    isClosed: (hour + 1) * hourMs + limits.graceMs <= now,
    begun: ended + running + missing.length,
    ends,
    running,
    missing: missing.toSorted((a, b) => a.at - b.at),
  };
}
