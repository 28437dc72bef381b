import type { FiledEvent } from "../filed.ts";
import type { Database } from "./database.ts";
import { bytesOf } from "./week-file.ts";

// Fingerprints that arrived lately; 20,000 of them take some 3 MB, and one that is not among them is looked up in 10 µs.
const mostKept = 20_000;

/** From fingerprints to groups, and from a new fingerprint to a new issue. */
export class GroupIndex {
  readonly #meta: Database;
  readonly #groups = new Map<string, number>();
  readonly #newIssues: number[] = [];

  constructor(meta: Database) {
    this.#meta = meta;
  }

  /**
   * The group of an event: the one it was filed under before a crash, else the first that one of its fingerprints
   * names (newest version first), else a new one. Every fingerprint then leads there.
   */
  groupOf(event: FiledEvent, filedUnder: number | undefined): number {
    const newest = `${event.project} ${event.grouping[0].hash}`;
    const kept = this.#groups.get(newest);
    if (kept !== undefined && filedUnder === undefined) return kept;
    const group = filedUnder ?? this.#find(event) ?? event.rowId;
    if (!this.#exists(group)) this.#create(group, event);
    for (const { hash } of event.grouping) {
      this.#meta.run("INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?)", event.project, bytesOf(hash), group);
    }
    if (this.#groups.size >= mostKept) this.#groups.clear();
    this.#groups.set(newest, group);
    return group;
  }

  takeNewIssues(): readonly number[] {
    return this.#newIssues.splice(0);
  }

  forget(): void {
    this.#groups.clear();
    this.#newIssues.length = 0;
  }

  #find(event: FiledEvent): number | undefined {
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

  /** A group is born with an issue of the same id; merging leads it to another, splitting back to its own. */
  #create(group: number, event: FiledEvent): void {
    const { project, title, at } = event;
    const [{ version, reason }] = event.grouping;
    const last = this.#meta.one<{ number: number | null }>(
      "SELECT max(number) AS number FROM issue WHERE project = ?",
      project,
    );
    this.#meta.run(
      `INSERT INTO issue (id, project, number, status, state, type, title, culprit, level, platform, route,
         first_seen, last_seen, events, visitors, first_release, last_release, last_event)
       VALUES (?, ?, ?, 'open', '{"kind":"open"}', ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)`,
      group,
      project,
      (last?.number ?? 0) + 1,
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
    this.#newIssues.push(group);
  }
}
