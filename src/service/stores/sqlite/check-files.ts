import { hourMs } from "../../clock.ts";
import type { CheckDepth, ShouldContinue } from "../store-requests.ts";
import type { Database } from "./database.ts";
import { spansIn } from "./read/read-traces.ts";
import type { StoreFiles } from "./store-files.ts";
import type { WeekFile } from "./week/week-file.ts";
import { appliedPosition } from "./write/commit-batch.ts";

// More findings of one kind add nothing.
const findingsOfAKind = 20;

/**
 * Describes the problems of the files. While the service runs, the meta file is read as of one moment, and the weeks
 * only as far as that moment counts them.
 */
export function checkFiles(
  files: StoreFiles,
  depth: CheckDepth = "thorough",
  shouldContinue: ShouldContinue = () => true,
): readonly string[] {
  const findings = integrityOf(files.meta, depth);
  for (const { database } of files.weeks()) findings.push(...integrityOf(database, depth));
  findings.push(...files.meta.reading(() => wrongCounters(files, countRows(files))));
  return depth === "quick" ? findings : [...findings, ...damageIn(files, shouldContinue)];
}

/** Newest week first, so that the oldest is left when time is up. */
function damageIn(files: StoreFiles, shouldContinue: ShouldContinue): string[] {
  const findings: string[] = [];
  let of = 0;
  for (const { database } of files.weeks())
    of += database.one<{ n: number }>("SELECT count(*) AS n FROM event")?.n ?? 0;
  let events = 0;
  let isStopped = !shouldContinue({ events, of });
  const onRead = (): boolean => {
    events++;
    if (events % eventsPerProgress === 0) isStopped ||= !shouldContinue({ events, of });
    return !isStopped;
  };
  for (const week of files.weeks()) {
    if (isStopped) break;
    findings.push(...damagedBodies(week, onRead));
    if (!isStopped) findings.push(...damagedSpans(week));
    isStopped ||= !shouldContinue({ events, of });
  }
  return findings;
}

/** Read within a few milliseconds, which is exact enough for a time limit. */
const eventsPerProgress = 200;

function integrityOf(database: Database, depth: CheckDepth): string[] {
  const check = depth === "thorough" ? "integrity_check" : "quick_check";
  return database
    .all<Record<string, string>>(`PRAGMA ${check}(${findingsOfAKind})`)
    .flatMap((row) => Object.values(row))
    .filter((verdict) => verdict !== "ok")
    .map((verdict) => `${database.file}: ${verdict}`);
}

/** Decompresses every body once and compares it with its checksum. */
function damagedBodies(week: WeekFile, onRead: () => boolean): string[] {
  let damaged = 0;
  // In the order of their blocks, so that each is decompressed once.
  const events = week.database.iterate<{ id: number; grp: number; place: number | null }>(
    "SELECT id, grp, place FROM event ORDER BY place",
  );
  for (const event of events) {
    if (week.bodies.read(event).kind === "damaged") damaged++;
    if (!onRead()) break;
  }
  return damaged === 0 ? [] : [`${week.database.file}: ${damaged} event bodies are damaged.`];
}

function damagedSpans(week: WeekFile): string[] {
  let damaged = 0;
  const blocks = week.database.iterate<{ packed: Uint8Array; place: number | null }>(
    "SELECT packed, place FROM span_block ORDER BY place",
  );
  for (const block of blocks) if (spansIn(week, block).kind === "damaged") damaged++;
  return damaged === 0 ? [] : [`${week.database.file}: ${damaged} span blocks are damaged.`];
}

interface RowCounts {
  readonly byGroup: ReadonlyMap<number, number>;
  /** Every event row since then still exists. */
  readonly completeSince: number;
}

function countRows(files: StoreFiles): RowCounts {
  const byGroup = new Map<number, number>();
  let completeSince = Number.POSITIVE_INFINITY;
  const counted = appliedPosition(files);
  const isCut = files.meta.one("SELECT 1 FROM gone WHERE what = 'events'") !== undefined;
  for (const { week, database } of files.weeks()) {
    // Clients' clocks may be up to a minute ahead before they are corrected.
    completeSince = Math.max(week.from, isCut ? firstReceived(database) : week.from) + hourMs;
    const sql = "SELECT grp, count(*) AS n FROM event WHERE id < ? GROUP BY grp";
    for (const { grp, n } of database.iterate<{ grp: number; n: number }>(sql, counted))
      byGroup.set(grp, (byGroup.get(grp) ?? 0) + n);
  }
  return { byGroup, completeSince };
}

/** If a limit has deleted events of the current week, its file begins with the oldest remaining one. */
function firstReceived(database: Database): number {
  const first = database.one<{ at: number }>("SELECT received_at AS at FROM event ORDER BY id LIMIT 1");
  return first?.at ?? Number.POSITIVE_INFINITY;
}

/**
 * A group's counter equals its number of rows. For a group older than the oldest week, it also counts deleted rows, and
 * for an imported one those that did not come with it. An issue's counter is the sum of its groups.
 */
function wrongCounters({ meta }: StoreFiles, rows: RowCounts): string[] {
  const findings: string[] = [];
  const groups = meta.iterate<{ id: number; events: number; firstSeen: number; isImported: number }>(
    `SELECT id, events, first_seen AS firstSeen, EXISTS (SELECT 1 FROM issue_history h
       WHERE h.issue = issue_group.id AND json_extract(h.what, '$.kind') = 'imported') AS isImported FROM issue_group`,
  );
  for (const { id, events, firstSeen, isImported } of groups) {
    const stored = rows.byGroup.get(id) ?? 0;
    const isComplete = firstSeen >= rows.completeSince && isImported === 0;
    const isWrong = isComplete ? events !== stored : events < stored;
    if (isWrong) findings.push(`${meta.file}: group ${id} counts ${events} events, and there are ${stored}.`);
  }
  const issues = meta.iterate<{ number: number; project: number; events: number; sum: number }>(
    `SELECT issue.number, issue.project, issue.events, sum(issue_group.events) AS sum
     FROM issue JOIN issue_group ON issue_group.issue = issue.id
     GROUP BY issue.id HAVING issue.events <> sum(issue_group.events)`,
  );
  for (const { number, project, events, sum } of issues)
    findings.push(`${meta.file}: issue ${number} of project ${project} counts ${events} events, its groups ${sum}.`);
  const more = findings.length - findingsOfAKind;
  return more <= 0
    ? findings
    : [...findings.slice(0, findingsOfAKind), `${meta.file}: ${more} more counters are wrong.`];
}
