import { readDigest } from "#protocol";
import { type Clock, hourMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import type { Store } from "../stores/store.ts";
import { changesSoFar, noteChange } from "./changes.ts";
import { type BookedHour, differenceEnvelope, differenceId } from "./difference-envelope.ts";
import { type HourBooks, readBooks } from "./hour-books.ts";
import { readTallies } from "./hour-tallies.ts";
import type { BalanceLimits } from "./limits.ts";

export interface BalanceDeps {
  readonly store: Pick<Store, "filedEvents" | "setStuck" | "lease" | "event" | "issue" | "change">;
  /** Opened when there is a statement to compare. Undefined while there was none. */
  readonly rows: () => Rows | undefined;
  /** Runs work that uses the store, when it is its turn. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Accepts an envelope for a project. Resolves when it survives, and rejects if it is refused. */
  report(project: number, envelope: Uint8Array): Promise<void>;
  /** Whether everything that was accepted is filed. */
  hasFiledAll(): boolean;
  readonly clock: Clock;
  readonly limits: BalanceLimits;
  readonly memory: BalanceMemory;
}

/** What the comparison remembers from turn to turn. A new process begins with nothing. */
export interface BalanceMemory {
  /** Visitors who got no further, by project and group, as they were written last. */
  readonly stuck: Map<string, number>;
  /** The changes of error pages that they were counted with. */
  stuckChanges: number;
  /** Since when there was no pause. */
  runningSince: number;
  lastTurn: number;
  /** The hour up to which old books were deleted. */
  forgottenTo: number;
}

export function newBalanceMemory(): BalanceMemory {
  return { stuck: new Map(), stuckChanges: -1, runningSince: 0, lastTurn: 0, forgottenTo: 0 };
}

/** In the history of an issue, for what no person did. */
export const byBalance = "balance";

/**
 * Compares both sides of the books: looks for the events of error pages, decides what their visitors did next, and
 * reports the differences of closed hours, those of submissions and navigations too. One process of a store does it at
 * a time. Everything can be repeated: a difference always has the same event.
 */
export async function watchBalance(deps: BalanceDeps): Promise<void> {
  const rows = deps.rows();
  if (rows === undefined || !(await deps.store.lease("balance", deps.limits.leaseMs))) return;
  await deps.inTurn(() => findEvents(deps, rows));
  await settleVisits(deps, rows);
  await writeStuck(deps, rows);
  // A backlog of the journal is not a loss, and neither is what outboxes could not deliver while there was no service.
  if (hasSettled(deps) && deps.hasFiledAll()) await closeHours(deps, rows);
  await forget(deps, rows);
}

function hasSettled({ memory, clock, limits }: BalanceDeps): boolean {
  const now = clock.now();
  if (now - memory.lastTurn > limits.pauseMs) memory.runningSince = now;
  memory.lastTurn = now;
  return now - memory.runningSince >= limits.settleMs;
}

/** Looks for the events of error pages. Those without one are looked for again, less and less often. */
async function findEvents({ store, clock, limits }: BalanceDeps, rows: Rows): Promise<void> {
  const now = clock.now();
  const due = await rows.all<{ project: number; digest: string; at: number }>(
    `SELECT project, digest, at FROM holdfast.balance_page WHERE filed_at IS NULL AND due <= $1 ORDER BY due LIMIT $2`,
    now,
    limits.pagesPerTurn,
  );
  for (const [project, pages] of Map.groupBy(due, (page) => page.project)) {
    const starts = new Map(pages.map(({ digest }) => [readDigest(digest) ?? "", digest]));
    const found = new Map((await store.filedEvents(project, [...starts.keys()])).map((event) => [event.start, event]));
    await rows.transaction(async (queries) => {
      for (const [start, digest] of starts) {
        const event = found.get(start);
        const { at = now } = pages.find((page) => page.digest === digest) ?? {};
        if (event === undefined)
          await queries.run(
            "UPDATE holdfast.balance_page SET due = $3 WHERE project = $1 AND digest = $2",
            project,
            digest,
            nextLook(at, now, limits),
          );
        else
          await queries.run(
            `UPDATE holdfast.balance_page SET filed_at = $3, grp = $4, visitor = $5
             WHERE project = $1 AND digest = $2`,
            project,
            digest,
            now,
            event.group,
            event.visitor ?? null,
          );
      }
      if (found.size > 0) await noteChange(queries);
    });
  }
}

/** The older a page, the less likely its event arrives. After its time it is not looked for any more. */
function nextLook(at: number, now: number, { everyMs, lateMs }: BalanceLimits): number {
  const age = now - at;
  return age > lateMs
    ? Number.MAX_SAFE_INTEGER
    : now + Math.round(Math.min(Math.max(everyMs / 2, age / 4), hourMs / 6));
}

/**
 * A visitor whose browser has shown the error page and has reached nothing since has given up. A page that only a
 * server knows of says nothing about its visitor. A later statement still corrects it.
 */
async function settleVisits({ clock, limits }: BalanceDeps, rows: Rows): Promise<void> {
  await rows.transaction(async (queries) => {
    const settled = await queries.run(
      "UPDATE holdfast.balance_page SET next = 'gave-up' WHERE next IS NULL AND at <= $1 AND side = 'browser'",
      clock.now() - limits.gaveUpMs,
    );
    if (settled > 0) await noteChange(queries);
  });
}

/**
 * Tells the store how many visitors of each group got no further, for the order of the issues. All error pages are
 * counted, four weeks of them, so only after a change.
 */
async function writeStuck(deps: BalanceDeps, rows: Rows): Promise<void> {
  // Read before the pages: a change in between is counted again at the next turn.
  const changes = await changesSoFar(rows);
  if (changes === deps.memory.stuckChanges) return;
  await deps.inTurn(() => countStuck(deps, rows));
  deps.memory.stuckChanges = changes;
}

async function countStuck({ store, memory: { stuck: written } }: BalanceDeps, rows: Rows): Promise<void> {
  const counts = await rows.all<{ project: number; grp: number; n: number }>(
    `SELECT project, grp, count(DISTINCT coalesce(CAST(visitor AS text), chain)) AS n FROM holdfast.balance_page
     WHERE next = 'gave-up' AND grp IS NOT NULL GROUP BY project, grp`,
  );
  const now = new Map(counts.map(({ project, grp, n }) => [`${project} ${grp}`, n]));
  const changed = [...new Set([...now.keys(), ...written.keys()])].filter(
    (key) => (now.get(key) ?? 0) !== written.get(key),
  );
  const byProject = Map.groupBy(changed, (key) => Number(key.split(" ")[0]));
  for (const [project, keys] of byProject) {
    const groups = keys.map((key) => ({ group: Number(key.split(" ")[1]), visitors: now.get(key) ?? 0 }));
    await store.setStuck(project, groups);
    for (const key of keys) written.set(key, now.get(key) ?? 0);
  }
}

/** Reports the differences of closed hours, and resolves the issue when late events have settled all of them. */
async function closeHours(deps: BalanceDeps, rows: Rows): Promise<void> {
  const { clock, limits, report } = deps;
  const now = clock.now();
  const from = Math.floor((now - limits.lateMs) / hourMs);
  const to = Math.floor((now - limits.graceMs) / hourMs) - 1;
  const reported = await rows.all<{ project: number; book: string; hour: number; missing: number }>(
    "SELECT project, book, hour, missing FROM holdfast.balance_difference WHERE hour >= $1",
    from,
  );
  const known = new Map(reported.map(({ project, book, hour, missing }) => [`${project} ${book} ${hour}`, missing]));
  const query = { from, to, now, limits };
  for (const booked of [...(await readBooks(rows, query)), ...(await readTallies(rows, query))]) {
    const before = known.get(`${booked.project} ${booked.book} ${booked.hour}`) ?? 0;
    const { length: missing } = booked.missing;
    if (missing === before) continue;
    if (missing > before && booked.book === "error-pages" && (await hasArrived(deps, rows, booked))) continue;
    if (missing > before) await report(booked.project, differenceEnvelope(booked, limits.examples));
    await writeDifference(rows, booked);
    if (missing === 0) await deps.inTurn(() => resolveIfLevel(deps, rows, booked));
  }
}

/** Some may have arrived since they were looked for last. Then the next turn decides. */
async function hasArrived({ store, inTurn, clock }: BalanceDeps, rows: Rows, books: HourBooks): Promise<boolean> {
  const starts = books.missing.map(({ digest }) => readDigest(digest) ?? "");
  if ((await inTurn(() => store.filedEvents(books.project, starts))).length === 0) return false;
  await rows.run(
    "UPDATE holdfast.balance_page SET due = $3 WHERE project = $1 AND hour = $2 AND filed_at IS NULL",
    books.project,
    books.hour,
    clock.now(),
  );
  return true;
}

async function writeDifference(rows: Rows, booked: BookedHour): Promise<void> {
  const { project, book, hour, missing } = booked;
  await rows.run(
    `INSERT INTO holdfast.balance_difference AS d (project, book, hour, missing, event_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (project, book, hour) DO UPDATE SET missing = excluded.missing,
       event_id = CASE WHEN excluded.missing = 0 THEN d.event_id ELSE excluded.event_id END`,
    project,
    book,
    hour,
    missing.length,
    differenceId(booked),
  );
}

/** The issue stays open while any hour of its book differs. */
async function resolveIfLevel(
  { store, clock }: BalanceDeps,
  rows: Rows,
  { project, book, hour }: BookedHour,
): Promise<void> {
  const open = await rows.one<{ n: number }>(
    "SELECT count(*) AS n FROM holdfast.balance_difference WHERE project = $1 AND book = $2 AND missing > 0",
    project,
    book,
  );
  const last = await rows.one<{ event_id: string }>(
    "SELECT event_id FROM holdfast.balance_difference WHERE project = $1 AND book = $2 AND hour = $3",
    project,
    book,
    hour,
  );
  const event = last && (await store.event(project, last.event_id));
  const issue = event && (await store.issue(project, { id: event.issue }));
  if ((open?.n ?? 0) > 0 || issue === undefined) return;
  if (issue.state.kind !== "open" && issue.state.kind !== "regressed") return;
  const issues = [issue.mergedInto ?? issue.id];
  await store.change({ project, issues, change: { kind: "resolve", in: "now" }, by: byBalance, at: clock.now() });
}

/** Once an hour. */
async function forget({ clock, limits, memory }: BalanceDeps, rows: Rows): Promise<void> {
  const hour = Math.floor((clock.now() - limits.keptMs) / hourMs);
  if (hour === memory.forgottenTo) return;
  memory.forgottenTo = hour;
  await rows.transaction(async (queries) => {
    const forgotten = await queries.run("DELETE FROM holdfast.balance_page WHERE hour < $1", hour);
    if (forgotten > 0) await noteChange(queries);
  });
  for (const table of ["tally", "difference"])
    await rows.run(`DELETE FROM holdfast.balance_${table} WHERE hour < $1`, hour);
  await rows.run("DELETE FROM holdfast.balance_source WHERE stated_at < $1", clock.now() - limits.lateMs);
}
