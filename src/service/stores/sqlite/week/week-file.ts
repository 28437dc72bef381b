import { join } from "node:path";
import { pack } from "../../bodies/packing.ts";
import type { ReferenceCache } from "../../bodies/reference-cache.ts";
import type { FiledAttachment, FiledEvent, FiledLogs, FiledSession, FiledSpans } from "../../filed.ts";
import { RecentlySeen } from "../../recently-seen.ts";
import { bytesOf, levels } from "../../values/row-values.ts";
import type { Week } from "../../weeks.ts";
import { Database, type Mode } from "../database.ts";
import { NameTable } from "../name-table.ts";
import { weekMigrations } from "../schema.ts";
import { type NewBody, WeekBodies } from "./week-bodies.ts";

/** An event that was filed before, and its group. */
export interface KnownEvent {
  id: number;
  grp: number;
}

/** Columns of `event` from its id on, without the place of its body. */
type EventRow = readonly [id: number, ...rest: (number | Uint8Array | null)[]];

/** One week of events, spans and logs. Readable on its own, and contains its position in the journal. */
export class WeekFile {
  readonly week: Week;
  readonly database: Database;
  readonly names: NameTable;
  readonly bodies: WeekBodies;
  readonly #recentAliases = new RecentlySeen(20_000);
  #newBodies: NewBody[] = [];
  #newRows: EventRow[] = [];

  constructor(folder: string, week: Week, mode: Mode, references: ReferenceCache) {
    this.week = week;
    // The meta file's position promises that a week's rows exist. It may reach the disk at any time, so the rows must
    // be durable before it is committed: each commit of a week is synced, once per batch.
    this.database = new Database(join(folder, `${week.name}.db`), mode, weekMigrations, "at-once");
    this.names = new NameTable(this.database);
    this.bodies = new WeekBodies(week.name, this.database, references);
  }

  /** Ends a batch: writes the gathered bodies and the position in the journal. */
  finishBatch(position: number): void {
    this.#writeRows();
    this.database.run("UPDATE applied SET position = max(position, ?)", position);
  }

  findEvent(eventId: Uint8Array, project: number): KnownEvent | undefined {
    return this.database.one("SELECT id, grp FROM event WHERE event_id = ? AND project = ?", eventId, project);
  }

  /**
   * Adds a new event. It is written with the others of its batch, because they are compressed together. Until then,
   * only its row and body are retained, because every live object costs time in garbage collection.
   */
  addEvent(event: FiledEvent, group: number, storesBody: boolean): void {
    const { names } = this;
    const { rowId, body } = event;
    if (storesBody) this.#newBodies.push({ rowId, group, body });
    this.#newRows.push([
      rowId,
      bytesOf(event.eventId),
      event.project,
      group,
      event.at,
      event.receivedAt,
      levels.indexOf(event.level),
      names.number(event.route),
      names.number(event.release),
      names.number(event.environment),
      event.traceId === undefined ? null : bytesOf(event.traceId),
      event.visitor ?? event.session ?? null,
    ]);
    this.#addAliases(event);
    if (event.otherId !== undefined)
      this.database.run(
        "INSERT OR IGNORE INTO other_id VALUES (?, ?, ?)",
        bytesOf(event.otherId),
        event.project,
        rowId,
      );
  }

  #writeRows(): void {
    const bodyIndexes = this.bodies.finishBatch(this.#newBodies);
    for (const row of this.#newRows)
      this.database.run(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ...row,
        bodyIndexes.get(row[0]) ?? null,
      );
    this.#forgetNew();
  }

  #forgetNew(): void {
    this.#newBodies = [];
    this.#newRows = [];
  }

  #addAliases({ project, visitor, aliases }: FiledEvent): void {
    for (const alias of aliases) {
      if (this.#recentAliases.isNew(`${project} ${alias} ${visitor}`))
        this.database.run("INSERT OR IGNORE INTO visitor_alias VALUES (?, ?, ?)", project, alias, visitor ?? null);
    }
  }

  /** Adds spans. Returns whether they are new or filed again after a crash. A second delivery is neither. */
  addSpans(item: FiledSpans): boolean {
    const { database, names } = this;
    const traceId = bytesOf(item.traceId);
    // Nearly all are new: looking for another one beforehand would be a statement more for each trace.
    const { changes } = database.run(
      "INSERT INTO span_block VALUES (?, ?, ?, ?, ?, x'', ?) ON CONFLICT DO NOTHING",
      item.rowId,
      item.project,
      traceId,
      item.key,
      item.at,
      this.bodies.nextPlace,
    );
    if (changes === 0) return this.#hasSpans(item, traceId);
    this.bodies.gather(item.body);
    for (const segment of item.segments) {
      database.run(
        "INSERT OR IGNORE INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        traceId,
        bytesOf(segment.spanId),
        item.project,
        item.rowId,
        names.number(segment.route),
        segment.op,
        segment.at,
        segment.durationMs,
        names.number(segment.status),
        names.number(segment.release),
        names.number(segment.environment),
        segment.visitor ?? segment.session ?? null,
      );
    }
    return true;
  }

  #hasSpans({ rowId, project, key }: FiledSpans, traceId: Uint8Array): boolean {
    const sql = "SELECT id FROM span_block WHERE trace_id = ? AND project = ? AND key = ?";
    return this.database.one<{ id: number }>(sql, traceId, project, key)?.id === rowId;
  }

  routeOfSegment(traceId: string, spanId: string | undefined, project: number): string | undefined {
    if (spanId === undefined) return undefined;
    const row = this.database.one<{ route: number }>(
      "SELECT route FROM segment WHERE trace_id = ? AND span_id = ? AND project = ?",
      bytesOf(traceId),
      bytesOf(spanId),
      project,
    );
    return row === undefined ? undefined : this.names.text(row.route);
  }

  /**
   * Returns the facts that this update is the first to report about its session. Each fact stores the row that reported
   * it: filed again after a crash, the same row reports it again, and no other does.
   */
  addSession(item: FiledSession): { started: boolean; errored: boolean; crashed: boolean; abnormal: boolean } {
    const { database } = this;
    database.run("INSERT OR IGNORE INTO session (project, session_id) VALUES (?, ?)", item.project, item.sessionId);
    const isFirst = (column: "started_by" | "errored_by" | "crashed_by" | "abnormal_by", applies: boolean): boolean => {
      if (!applies) return false;
      const { changes } = database.run(
        `UPDATE session SET ${column} = ?1 WHERE project = ?2 AND session_id = ?3 AND (${column} IS NULL OR ${column} = ?1)`,
        item.rowId,
        item.project,
        item.sessionId,
      );
      return changes > 0;
    };
    return {
      started: isFirst("started_by", true),
      errored: isFirst("errored_by", item.ended !== "well"),
      crashed: isFirst("crashed_by", item.ended === "crashed"),
      abnormal: isFirst("abnormal_by", item.ended === "abnormal"),
    };
  }

  addLogs(item: FiledLogs): void {
    let [from, to] = [Number.POSITIVE_INFINITY, 0];
    for (const { at } of item.lines) [from, to] = [Math.min(from, at), Math.max(to, at)];
    if (item.lines.length === 0) return;
    const packed = pack(Buffer.from(JSON.stringify(item.lines)));
    const { changes } = this.database.run(
      "INSERT OR IGNORE INTO log_block VALUES (?, ?, ?, ?, ?, ?)",
      item.rowId,
      item.project,
      Math.floor(from),
      Math.ceil(to),
      item.lines.length,
      packed,
    );
    if (changes === 0) return;
    for (const traceId of new Set(item.lines.map((line) => line.traceId))) {
      if (traceId !== undefined)
        this.database.run("INSERT OR IGNORE INTO log_trace VALUES (?, ?)", bytesOf(traceId), item.rowId);
    }
  }

  addAttachment(item: FiledAttachment): void {
    this.database.run(
      "INSERT OR IGNORE INTO attachment VALUES (?, ?, ?, ?, ?, ?)",
      item.rowId,
      item.project,
      bytesOf(item.eventId),
      item.filename,
      item.contentType ?? null,
      pack(item.bytes),
    );
  }

  /** Deletes everything from this position of the journal on. */
  cutFrom(position: number): void {
    const { database } = this;
    database.transaction(() => {
      for (const table of ["event", "body", "span_block", "log_block", "attachment"])
        database.run(`DELETE FROM ${table} WHERE id >= ?`, position);
      this.bodies.cutUnused();
      database.run("DELETE FROM other_id WHERE event >= ?", position);
      database.run("DELETE FROM segment WHERE block >= ?", position);
      database.run("DELETE FROM log_trace WHERE block >= ?", position);
      for (const fact of ["started_by", "errored_by", "crashed_by", "abnormal_by"]) {
        database.run(`UPDATE session SET ${fact} = NULL WHERE ${fact} >= ?`, position);
      }
      database.run("UPDATE applied SET position = min(position, ?)", position);
    });
  }

  /**
   * Returns the first remaining row if this share is deleted, and its time of arrival. Undefined if nothing would be
   * deleted.
   */
  firstBeyond(share: number): { id: number; at: number } | undefined {
    if (share <= 0) return undefined;
    const all = `SELECT id, received_at AS at FROM event UNION ALL SELECT id, at FROM span_block
      UNION ALL SELECT id, to_at FROM log_block`;
    const rows = this.database.one<{ n: number }>(`SELECT count(*) AS n FROM (${all})`)?.n ?? 0;
    return this.database.one<{ id: number; at: number }>(
      `SELECT id, at FROM (${all}) ORDER BY id LIMIT 1 OFFSET ?`,
      Math.min(rows - 1, Math.floor(rows * share)),
    );
  }

  countEvents(from: number, before: number): number {
    const sql = "SELECT count(*) AS n FROM event WHERE id >= ? AND id < ?";
    return this.database.one<{ n: number }>(sql, from, before)?.n ?? 0;
  }

  /** Deletes everything before this row, and frees the disk space. */
  cutBefore(id: number): void {
    const { database } = this;
    database.transaction(() => {
      for (const table of ["event", "body", "span_block", "log_block", "attachment"])
        database.run(`DELETE FROM ${table} WHERE id < ?`, id);
      database.run("DELETE FROM other_id WHERE event < ?", id);
      database.run("DELETE FROM segment WHERE block < ?", id);
      database.run("DELETE FROM log_trace WHERE block < ?", id);
      this.bodies.cutOldest();
    });
    database.compact();
    this.forget();
  }

  forget(): void {
    this.names.forget();
    this.#recentAliases.forget();
    this.#forgetNew();
    this.bodies.forget();
  }

  close(): void {
    this.forget();
    this.database.close();
  }
}
