import { hourMs } from "../../clock.ts";
import type { CheckDepth, GoOn } from "../store.ts";
import type { Database } from "./database.ts";
import { spansIn } from "./read/read-traces.ts";
import type { StoreFiles } from "./store-files.ts";
import type { WeekFile } from "./week/week-file.ts";
import { appliedPosition } from "./write/commit-batch.ts";

// More of the same tells nothing new.
const findingsOfAKind = 20;

/**
 * What is wrong with the files, in sentences. While the service goes on, the meta file is seen as of one moment, and of
 * the weeks only what that moment has counted.
 */
export function checkFiles(
  files: StoreFiles,
  depth: CheckDepth = "thorough",
  goOn: GoOn = () => true,
): readonly string[] {
  const findings = integrityOf(files.meta, depth);
  for (const { database } of files.weeks()) findings.push(...integrityOf(database, depth));
  findings.push(...files.meta.reading(() => wrongCounters(files, countRows(files))));
  return depth === "quick" ? findings : [...findings, ...damageIn(files, goOn)];
}

/** The newest week first, so that what is left when time is up is the oldest. */
function damageIn(files: StoreFiles, goOn: GoOn): string[] {
  const findings: string[] = [];
  let of = 0;
  for (const { database } of files.weeks())
    of += database.one<{ n: number }>("SELECT count(*) AS n FROM event")?.n ?? 0;
  let events = 0;
  let isLeft = !goOn({ events, of });
  const look = (): boolean => {
    events++;
    if (events % eventsPerQuestion === 0) isLeft ||= !goOn({ events, of });
    return !isLeft;
  };
  for (const week of files.weeks()) {
    if (isLeft) break;
    findings.push(...damagedBodies(week, look));
    if (!isLeft) findings.push(...damagedSpans(week));
    isLeft ||= !goOn({ events, of });
  }
  return findings;
}

/** Often enough for a clock that is to be right within a moment: as many are read in some milliseconds. */
const eventsPerQuestion = 200;

function integrityOf(database: Database, depth: CheckDepth): string[] {
  const check = depth === "thorough" ? "integrity_check" : "quick_check";
  return database
    .all<Record<string, string>>(`PRAGMA ${check}(${findingsOfAKind})`)
    .flatMap((row) => Object.values(row))
    .filter((verdict) => verdict !== "ok")
    .map((verdict) => `${database.file}: ${verdict}`);
}

/** Every packed body is unpacked once and compared with its checksum. */
function damagedBodies(week: WeekFile, look: () => boolean): string[] {
  let damaged = 0;
  // In the order of their blocks, so that each is unpacked once.
  const events = week.database.iterate<{ id: number; grp: number; place: number | null }>(
    "SELECT id, grp, place FROM event ORDER BY place",
  );
  for (const event of events) {
    if (week.bodies.read(event).kind === "damaged") damaged++;
    if (!look()) break;
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
  /** Every row of an event since then is still there. */
  readonly completeSince: number;
}

function countRows(files: StoreFiles): RowCounts {
  const byGroup = new Map<number, number>();
  let completeSince = Number.POSITIVE_INFINITY;
  const counted = appliedPosition(files);
  const isCut = files.meta.one("SELECT 1 FROM gone WHERE what = 'events'") !== undefined;
  for (const { week, database } of files.weeks()) {
    // Clients' clocks may go ahead by a minute before they are corrected.
    completeSince = Math.max(week.from, isCut ? firstReceived(database) : week.from) + hourMs;
    const sql = "SELECT grp, count(*) AS n FROM event WHERE id < ? GROUP BY grp";
    for (const { grp, n } of database.iterate<{ grp: number; n: number }>(sql, counted))
      byGroup.set(grp, (byGroup.get(grp) ?? 0) + n);
  }
  return { byGroup, completeSince };
}

/** Where a limit has dropped events of the current week, its file begins with the oldest event that is left. */
function firstReceived(database: Database): number {
  const first = database.one<{ at: number }>("SELECT received_at AS at FROM event ORDER BY id LIMIT 1");
  return first?.at ?? Number.POSITIVE_INFINITY;
}

/**
 * The counter of a group is the number of its rows; of a group that is older than the oldest week some rows are gone,
 * and its counter still counts them. An issue counts what its groups count.
 */
function wrongCounters({ meta }: StoreFiles, rows: RowCounts): string[] {
  const findings: string[] = [];
  const groups = meta.iterate<{ id: number; events: number; firstSeen: number }>(
    "SELECT id, events, first_seen AS firstSeen FROM issue_group",
  );
  for (const { id, events, firstSeen } of groups) {
    const there = rows.byGroup.get(id) ?? 0;
    const isWrong = firstSeen >= rows.completeSince ? events !== there : events < there;
    if (isWrong) findings.push(`${meta.file}: group ${id} counts ${events} events, and there are ${there}.`);
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
