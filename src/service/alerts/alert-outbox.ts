import type { RowQueries, Rows } from "../rows/rows.ts";
import type { AlertItem, AlertMessage } from "./messages/alert-message.ts";

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
  /** What it is about, such as an issue. */
  readonly subject: string;
  /** It is ignored if the channel had a message about the subject since this time. Undefined: it is always added. */
  readonly unlessSince: number | undefined;
  readonly project: number;
  readonly channel: string;
  readonly message: AlertMessage;
  readonly dueAt: number;
}

/** Alerts that a channel gets in one message. Those that come before it is sent are added to it. */
export interface NewSummary {
  readonly project: number;
  readonly channel: string;
  /** Those about which the channel had a message, or which are in a summary already, are ignored. */
  readonly alerts: readonly NewNotice[];
  /** How many others there are. */
  readonly more: number;
  readonly dueAt: number;
  readonly describe: (id: string, count: number, items: readonly AlertItem[]) => AlertMessage;
}

/** How far a rule has looked, or the state of what it watches. */
export interface Cursor {
  readonly project: number;
  readonly name: string;
  /** Undefined removes it. */
  readonly value: number | undefined;
}

export interface Additions {
  readonly notices: readonly NewNotice[];
  readonly summaries: readonly NewSummary[];
  readonly cursors: readonly Cursor[];
}

export type NoticeEnd = { readonly kind: "sent" } | { readonly kind: "given-up"; readonly why: string };

export interface ChannelState {
  readonly sentAt: number | undefined;
  readonly failure: { readonly at: number; readonly why: string } | undefined;
  readonly waiting: number;
}

interface NoticeRow {
  id: string;
  project: number;
  channel: string;
  tries: number;
  message: string;
  created_at: number;
}

/** Titles in one summary: a screen of a phone. */
const itemsShown = 10;

/** Messages from the moment they are due until they are sent, and what became of them. */
export class AlertOutbox {
  readonly #rows: Rows;
  readonly #now: () => number;

  constructor(rows: Rows, now: () => number) {
    this.#rows = rows;
    this.#now = now;
  }

  /**
   * Adds messages and moves cursors, all or nothing: after a crash, what was found is either waiting here or found
   * again. Returns how many messages were new.
   */
  add({ notices, summaries, cursors }: Additions): Promise<number> {
    return this.#rows.transaction(async (queries) => {
      let added = 0;
      for (const notice of notices) added += await this.#addNotice(queries, notice, "waiting");
      for (const summary of summaries) await this.#addSummary(queries, summary);
      for (const cursor of cursors) await moveCursor(queries, cursor);
      return added;
    });
  }

  /** `summed`: the alert is part of a summary, and its row only says that the channel gets it. */
  async #addNotice(queries: RowQueries, notice: NewNotice, state: "waiting" | "summed"): Promise<number> {
    const { key, subject, unlessSince, project, channel, message, dueAt } = notice;
    const earlier =
      unlessSince !== undefined &&
      (await queries.one(
        "SELECT id FROM holdfast.alert_notice WHERE channel = $1 AND subject = $2 AND created_at > $3 LIMIT 1",
        channel,
        subject,
        unlessSince,
      ));
    if (earlier) return 0;
    return queries.run(
      `INSERT INTO holdfast.alert_notice
         (id, project, channel, subject, state, tries, message, due_at, created_at, ended_at)
       VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
      `${key} ${channel}`,
      project,
      channel,
      subject,
      state,
      state === "waiting" ? JSON.stringify(message) : "",
      dueAt,
      this.#now(),
      state === "waiting" ? null : this.#now(),
    );
  }

  async #addSummary(queries: RowQueries, summary: NewSummary): Promise<void> {
    const { project, channel, alerts, more, dueAt, describe } = summary;
    const added: AlertItem[] = [];
    for (const alert of alerts)
      if ((await this.#addNotice(queries, alert, "summed")) > 0) added.push(itemOf(alert.message));
    if (added.length + more === 0) return;
    const waiting = await queries.one<{ id: string; message: string }>(
      `SELECT id, message FROM holdfast.alert_notice
       WHERE channel = $1 AND subject = $2 AND state = 'waiting' AND tries = 0`,
      channel,
      summarySubject,
    );
    const known = waiting && (JSON.parse(waiting.message) as AlertMessage);
    const id = waiting?.id ?? `summary ${project}/${this.#now()} ${channel}`;
    const items = [...(known?.items ?? []), ...added].slice(0, itemsShown);
    const message = JSON.stringify(describe(id, (known?.itemsInAll ?? 0) + added.length + more, items));
    await queries.run(
      `INSERT INTO holdfast.alert_notice (id, project, channel, subject, state, tries, message, due_at, created_at)
       VALUES ($1, $2, $3, $4, 'waiting', 0, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET message = excluded.message`,
      id,
      project,
      channel,
      summarySubject,
      message,
      dueAt,
      this.#now(),
    );
  }

  /** Messages of each channel that were added since this time. Summaries and what is in them do not count. */
  async addedSince(project: number, at: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows.all<{ channel: string; n: number }>(
      `SELECT channel, count(*) AS n FROM holdfast.alert_notice
       WHERE project = $1 AND created_at >= $2 AND subject <> $3 AND state <> 'summed' GROUP BY channel`,
      project,
      at,
      summarySubject,
    );
    return new Map(rows.map(({ channel, n }) => [channel, Number(n)]));
  }

  /** The cursors of a project, by name. */
  async cursors(project: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows.all<{ name: string; value: number }>(
      "SELECT name, value FROM holdfast.alert_cursor WHERE project = $1",
      project,
    );
    return new Map(rows.map(({ name, value }) => [name, Number(value)]));
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
      project: Number(row.project),
      channel: row.channel,
      tries: Number(row.tries),
      message: JSON.parse(row.message) as AlertMessage,
      createdAt: Number(row.created_at),
    }));
  }

  /** Of all processes that want to send a message, one gets true. If it ends meanwhile, the message is due again. */
  async claim({ id, tries }: Pick<WaitingNotice, "id" | "tries">, forMs: number): Promise<boolean> {
    const claimed = await this.#rows.run(
      `UPDATE holdfast.alert_notice SET tries = tries + 1, due_at = $3
       WHERE id = $1 AND tries = $2 AND state = 'waiting'`,
      id,
      tries,
      this.#now() + forMs,
    );
    return claimed > 0;
  }

  /** A failure concerns the channel: its other messages wait too. */
  async tryLater({ id, channel }: Pick<WaitingNotice, "id" | "channel">, dueAt: number, why: string): Promise<void> {
    await this.#rows.run(
      "UPDATE holdfast.alert_notice SET why = $2, failed_at = $3, due_at = $4 WHERE id = $1 AND state = 'waiting'",
      id,
      why,
      this.#now(),
      dueAt,
    );
    await this.#rows.run(
      "UPDATE holdfast.alert_notice SET due_at = $2 WHERE channel = $1 AND state = 'waiting' AND due_at < $2",
      channel,
      dueAt,
    );
  }

  /** What was sent is not kept. */
  async end(id: string, end: NoticeEnd): Promise<void> {
    const why = end.kind === "sent" ? null : end.why;
    await this.#rows.run(
      `UPDATE holdfast.alert_notice SET state = $2, ended_at = $3, message = '',
         why = coalesce($4, why), failed_at = CASE WHEN $5 = 1 THEN $3 ELSE failed_at END
       WHERE id = $1 AND state = 'waiting'`,
      id,
      end.kind,
      this.#now(),
      why,
      why === null ? 0 : 1,
    );
  }

  /** Keeps the outcome of a test, which was sent at once. */
  async addEnded({ id, project, channel, end }: EndedNotice): Promise<void> {
    const why = end.kind === "sent" ? null : end.why;
    await this.#rows.run(
      `INSERT INTO holdfast.alert_notice
         (id, project, channel, subject, state, tries, message, due_at, created_at, ended_at, why, failed_at)
       VALUES ($1, $2, $3, 'test', $4, 1, '', $5, $5, $5, $6, $7)`,
      id,
      project,
      channel,
      end.kind,
      this.#now(),
      why,
      why === null ? null : this.#now(),
    );
  }

  /** The last success and the last failure of each channel of a project, and how many messages wait. */
  async channelStates(project: number): Promise<ReadonlyMap<string, ChannelState>> {
    const counts = await this.#rows.all<{ channel: string; sent_at: number | null; n: number }>(
      `SELECT channel, max(CASE WHEN state = 'sent' THEN ended_at END) AS sent_at,
         sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS n
       FROM holdfast.alert_notice WHERE project = $1 GROUP BY channel`,
      project,
    );
    const failures = await this.#rows.all<{ channel: string; failed_at: number; why: string | null }>(
      `SELECT n.channel, n.failed_at, n.why FROM holdfast.alert_notice n JOIN (
         SELECT channel, max(failed_at) AS failed_at FROM holdfast.alert_notice WHERE project = $1 GROUP BY channel
       ) last ON last.channel = n.channel AND last.failed_at = n.failed_at`,
      project,
    );
    const failureOf = new Map(failures.map((row) => [row.channel, { at: Number(row.failed_at), why: row.why ?? "" }]));
    return new Map(
      counts.map(({ channel, sent_at, n }) => [
        channel,
        { sentAt: sent_at === null ? undefined : Number(sent_at), failure: failureOf.get(channel), waiting: Number(n) },
      ]),
    );
  }

  /** Deletes what ended before this time. */
  async forgetBefore(at: number): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.alert_notice WHERE ended_at < $1", at);
  }
}

export interface EndedNotice {
  readonly id: string;
  readonly project: number;
  readonly channel: string;
  readonly end: NoticeEnd;
}

const summarySubject = "summary";

function itemOf({ reason, title, link, route }: AlertMessage): AlertItem {
  return { label: reason, text: title, link, note: route };
}

async function moveCursor(queries: RowQueries, { project, name, value }: Cursor): Promise<void> {
  if (value === undefined) {
    await queries.run("DELETE FROM holdfast.alert_cursor WHERE project = $1 AND name = $2", project, name);
    return;
  }
  await queries.run(
    `INSERT INTO holdfast.alert_cursor (project, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (project, name) DO UPDATE SET value = excluded.value`,
    project,
    name,
    value,
  );
}
