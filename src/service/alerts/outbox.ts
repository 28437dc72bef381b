import type { Rows } from "../rows/rows.ts";
import type { AlertMessage } from "./messages/alert-message.ts";

/** A message to one channel that is not sent yet. */
export interface WaitingNotice {
  readonly id: string;
  readonly project: number;
  readonly channel: string;
  readonly tries: number;
  readonly message: AlertMessage;
  readonly createdAt: number;
}

export interface NewNotice {
  /** The same for the same cause: a second one with this key is ignored. */
  readonly key: string;
  readonly project: number;
  readonly channel: string;
  readonly message: AlertMessage;
  readonly dueAt: number;
}

export type NoticeEnd = { readonly kind: "sent" } | { readonly kind: "given-up"; readonly why: string };

interface NoticeRow {
  id: string;
  project: number;
  channel: string;
  tries: number;
  message: string;
  created_at: number;
}

/** Messages from the moment they are due until they are sent, and then until the key may be used again. */
export class Outbox {
  readonly #rows: Rows;
  readonly #now: () => number;

  constructor(rows: Rows, now: () => number) {
    this.#rows = rows;
    this.#now = now;
  }

  /**
   * Adds messages and moves a cursor, all or nothing: after a crash, what was found is either waiting here or found
   * again. Returns how many were new.
   */
  add(notices: readonly NewNotice[], cursor: Cursor): Promise<number> {
    return this.#rows.transaction(async (queries) => {
      let added = 0;
      for (const { key, project, channel, message, dueAt } of notices)
        added += await queries.run(
          `INSERT INTO holdfast.alert_notice (id, project, channel, state, tries, message, due_at, created_at)
           VALUES ($1, $2, $3, 'waiting', 0, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
          `${key} ${channel}`,
          project,
          channel,
          JSON.stringify(message),
          dueAt,
          this.#now(),
        );
      await queries.run(
        `INSERT INTO holdfast.alert_cursor (project, name, value) VALUES ($1, $2, $3)
         ON CONFLICT (project, name) DO UPDATE SET value = excluded.value`,
        cursor.project,
        cursor.name,
        cursor.value,
      );
      return added;
    });
  }

  /** Messages of each channel that were added since this time. */
  async addedSince(project: number, at: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows.all<{ channel: string; n: number }>(
      `SELECT channel, count(*) AS n FROM holdfast.alert_notice
       WHERE project = $1 AND created_at >= $2 AND state <> 'summary' GROUP BY channel`,
      project,
      at,
    );
    return new Map(rows.map(({ channel, n }) => [channel, Number(n)]));
  }

  async cursor(project: number, name: string): Promise<number | undefined> {
    const row = await this.#rows.one<{ value: number }>(
      "SELECT value FROM holdfast.alert_cursor WHERE project = $1 AND name = $2",
      project,
      name,
    );
    return row === undefined ? undefined : Number(row.value);
  }

  /** Messages that are due, the oldest first. */
  async due(atMost: number): Promise<readonly WaitingNotice[]> {
    const rows = await this.#rows.all<NoticeRow>(
      `SELECT id, project, channel, tries, message, created_at FROM holdfast.alert_notice
       WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at, id LIMIT $2`,
      this.#now(),
      atMost,
    );
    return rows.map((row) => ({
      id: row.id,
      project: row.project,
      channel: row.channel,
      tries: Number(row.tries),
      message: JSON.parse(row.message) as AlertMessage,
      createdAt: Number(row.created_at),
    }));
  }

  async tryLater(id: string, dueAt: number, why: string): Promise<void> {
    await this.#rows.run(
      "UPDATE holdfast.alert_notice SET tries = tries + 1, due_at = $2, why = $3 WHERE id = $1 AND state = 'waiting'",
      id,
      dueAt,
      why,
    );
  }

  async end(id: string, end: NoticeEnd): Promise<void> {
    await this.#rows.run(
      `UPDATE holdfast.alert_notice SET state = $2, why = $3, tries = tries + 1, ended_at = $4
       WHERE id = $1 AND state = 'waiting'`,
      id,
      end.kind,
      end.kind === "sent" ? null : end.why,
      this.#now(),
    );
  }

  /** The last success and the last failure of each channel of a project. */
  async channelStates(project: number): Promise<ReadonlyMap<string, ChannelState>> {
    const rows = await this.#rows.all<{ channel: string; state: string; ended_at: number | null; why: string | null }>(
      `SELECT channel, state, ended_at, why FROM holdfast.alert_notice
       WHERE project = $1 AND (ended_at IS NOT NULL OR why IS NOT NULL) ORDER BY coalesce(ended_at, due_at)`,
      project,
    );
    const states = new Map<string, ChannelState>();
    for (const { channel, state, ended_at, why } of rows) {
      const known = states.get(channel) ?? { sentAt: undefined, failure: undefined };
      states.set(
        channel,
        state === "sent"
          ? { ...known, sentAt: Number(ended_at) }
          : { ...known, failure: { at: ended_at === null ? undefined : Number(ended_at), why: why ?? "" } },
      );
    }
    return states;
  }

  /** Deletes what ended before this time. Its key may be used again. */
  async forgetBefore(at: number): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.alert_notice WHERE ended_at < $1", at);
  }
}

export interface Cursor {
  readonly project: number;
  readonly name: string;
  readonly value: number;
}

export interface ChannelState {
  readonly sentAt: number | undefined;
  /** `at` is absent while the message is still tried. */
  readonly failure: { readonly at: number | undefined; readonly why: string } | undefined;
}
