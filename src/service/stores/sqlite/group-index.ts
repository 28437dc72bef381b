import { hourMs } from "../../clock.ts";
import type { FiledEvent, FiledIssue } from "../filed.ts";
import { collected } from "../flood.ts";
import { bytesOf } from "../values/row-values.ts";
import type { Database } from "./database.ts";
import { assignNew } from "./issues/assign-by-rule.ts";
import { addHistory } from "./issues/issue-history.ts";

// Recent fingerprints: 20,000 take about 3 MB. The lookup of another one takes 10 µs.
const mostCached = 20_000;

/** Finds the group of a fingerprint, or creates a new issue for a new one. */
export class GroupIndex {
  readonly #meta: Database;
  readonly #groups = new Map<string, number>();
  readonly #newIssues: number[] = [];
  readonly #newPerHour: number;
  #collected = 0;

  constructor(meta: Database, newPerHour: number = Number.POSITIVE_INFINITY) {
    this.#meta = meta;
    this.#newPerHour = newPerHour;
  }

  /**
   * Returns the group of an event: the one it was filed under before a crash, else the first that one of its
   * fingerprints identifies (newest version first), else a new one. All its fingerprints then lead to it. Also returns
   * the event as its issue shows it.
   */
  groupOf(event: FiledEvent, filedUnder: number | undefined): { group: number; shown: FiledEvent } {
    const newest = `${event.project} ${event.grouping[0].hash}`;
    const cached = this.#groups.get(newest);
    if (cached !== undefined && filedUnder === undefined) return { group: cached, shown: event };
    if (filedUnder !== undefined && filedUnder === this.#collector(event)) return this.#collect(event, filedUnder);
    const group = filedUnder ?? this.#find(event) ?? event.rowId;
    if (!this.#exists(group)) {
      if (!this.#mayCreate(event)) return this.#collect(event, filedUnder);
      this.#create(group, event);
    }
    for (const { hash } of event.grouping) {
      this.#meta.run("INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?)", event.project, bytesOf(hash), group);
    }
    if (this.#groups.size >= mostCached) this.#groups.clear();
    this.#groups.set(newest, group);
    return { group, shown: event };
  }

  /** Creates an imported issue, unless one of its fingerprints is known. No limit: an owner imports it. */
  addImported(issue: FiledIssue): void {
    const group = this.#find(issue) ?? issue.rowId;
    if (!this.#exists(group)) {
      this.#create(group, issue, issue.number);
      addHistory(this.#meta, group, { by: issue.by, at: issue.receivedAt }, { kind: "imported" });
    }
    for (const { hash } of issue.grouping)
      this.#meta.run("INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?)", issue.project, bytesOf(hash), group);
  }

  /** Number of events without their own issue, because too many issues were new. */
  takeCollected(): number {
    const collected = this.#collected;
    this.#collected = 0;
    return collected;
  }

  takeNewIssues(): readonly number[] {
    return this.#newIssues.splice(0);
  }

  forget(): void {
    this.#groups.clear();
    this.#newIssues.length = 0;
    this.#collected = 0;
  }

  /**
   * Counted by time of arrival, in the transaction that files the event: if a batch is filed again after a crash, the
   * same events are admitted.
   */
  #mayCreate({ project, receivedAt }: FiledEvent): boolean {
    const hour = Math.floor(receivedAt / hourMs);
    const row = this.#meta.one<{ n: number }>("SELECT n FROM new_issues WHERE project = ? AND hour = ?", project, hour);
    if ((row?.n ?? 0) >= this.#newPerHour) return false;
    this.#meta.run(
      `INSERT INTO new_issues VALUES (?1, ?2, 1) ON CONFLICT (project) DO UPDATE SET
         n = CASE WHEN hour = ?2 THEN n + 1 ELSE 1 END, hour = ?2`,
      project,
      hour,
    );
    return true;
  }

  #collector({ project }: FiledEvent): number | undefined {
    return this.#find({ project, grouping: collected.grouping });
  }

  /**
   * Adds an event to the project's issue for new errors beyond the limit. That issue has its own fingerprint, so that
   * those of the events stay unassigned.
   */
  #collect(event: FiledEvent, filedUnder: number | undefined): { group: number; shown: FiledEvent } {
    this.#collected += 1;
    const shown = { ...event, ...collected };
    const group = filedUnder ?? this.#collector(event) ?? event.rowId;
    if (!this.#exists(group)) this.#create(group, shown);
    const [{ hash }] = collected.grouping;
    this.#meta.run("INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?)", event.project, bytesOf(hash), group);
    return { group, shown };
  }

  #find(event: Pick<FiledEvent, "project" | "grouping">): number | undefined {
    for (const { hash } of event.grouping) {
      const row = this.#meta.one<{ grp: number }>(
        "SELECT grp FROM fingerprint WHERE project = ? AND hash = ?",
        event.project,
        bytesOf(hash),
      );
      if (row !== undefined) return row.grp;
    }
    return undefined;
  }

  #exists(group: number): boolean {
    return this.#meta.one("SELECT id FROM issue_group WHERE id = ?", group) !== undefined;
  }

  /** The number of an erased issue is not used again. */
  #nextNumber(project: number): number {
    const last = this.#meta.one<{ number: number | null }>(
      `SELECT max(number) AS number FROM (SELECT max(number) AS number FROM issue WHERE project = ?1
         UNION ALL SELECT max(hash) FROM erased WHERE project = ?1 AND kind = 'number')`,
      project,
    );
    return (last?.number ?? 0) + 1;
  }

  #isFree(project: number, number: number): boolean {
    const taken = this.#meta.one(
      `SELECT 1 FROM issue WHERE project = ?1 AND number = ?2
       UNION ALL SELECT 1 FROM erased WHERE project = ?1 AND kind = 'number' AND hash = ?2`,
      project,
      number,
    );
    return taken === undefined;
  }

  /** A group is created with an issue of the same id. Merging assigns it to another, splitting to its own again. */
  #create(group: number, event: FiledEvent | FiledIssue, wanted?: number): void {
    const { project, title, at } = event;
    const [{ version, reason }] = event.grouping;
    const number = wanted !== undefined && this.#isFree(project, wanted) ? wanted : this.#nextNumber(project);
    this.#meta.run(
      `INSERT INTO issue (id, project, number, status, state, type, title, culprit, level, platform, route,
         first_seen, last_seen, events, visitors, first_release, last_release, last_event)
       VALUES (?, ?, ?, 'open', '{"kind":"open"}', ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)`,
      group,
      project,
      number,
      title.type ?? null,
      title.text,
      title.culprit ?? null,
      event.level,
      event.platform ?? null,
      event.route ?? null,
      at,
      at,
      event.release ?? null,
      event.release ?? null,
      bytesOf(event.eventId),
    );
    this.#meta.run(
      "INSERT INTO issue_group (id, issue, project, version, rule, parts, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      group,
      group,
      project,
      version,
      reason.rule,
      JSON.stringify(reason.parts),
      at,
      at,
    );
    assignNew(this.#meta, group, event);
    this.#newIssues.push(group);
  }
}
