import { type EventLevel, isObject } from "#protocol";
import { serviceErrors } from "../errors.ts";
import type { Reason } from "../grouping/v1.ts";
import { unpack } from "../stores/bodies/packing.ts";
import type { FeedbackFacts } from "../stores/filed.ts";
import { stateOf } from "../stores/issue-row.ts";
import {
  type LastingTable,
  lastingTables,
  type MovedPart,
  type MovedRow,
  type MovedValue,
  type MoveReader,
  type PartRows,
} from "../stores/moved-rows.ts";
import {
  type EventLine,
  type FeedbackLine,
  type FiguresLine,
  type IssueLine,
  type PortableLine,
  portableFormat,
  type TriageLine,
} from "../stores/portable/lines.ts";
import { groupFigures, projectFigures } from "../stores/portable/merge-rows.ts";
import type { EventBody, HistoryEntry } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { hexOf, levels } from "../stores/values/row-values.ts";
import { type PortableLimits, portableLimits } from "./limits.ts";

/** What an export reads. The store may be filing meanwhile: what arrives later is in the export or not. */
export interface ExportSource {
  readonly project: { readonly id: number; readonly name: string };
  readonly store: Pick<StoreReader, "eventsById" | "history">;
  readonly rows: Pick<MoveReader, "lasting" | "otherIds" | "parts" | "rows">;
  readonly now: () => number;
  readonly limits?: PortableLimits;
}

/** Groups that are read at once: their figures are some megabytes. */
const groupsAtOnce = 200;
/** Rows of one line: about 50 kB, and sketches some hundred. */
const rowsPerLine = 200;
const rowsAtOnce = 2_000;
/** Events whose bodies are in memory: a few megabytes. */
const bodiesAtOnce = 50;

/** Where an export goes on: a section, and a place in it. */
type Place =
  | { readonly in: "issues" | "feedback" | "groups" | "triage"; readonly after: number }
  | { readonly in: "events"; readonly part: string; readonly cursor: string | undefined }
  | { readonly in: "project"; readonly table: string };

type Line = PortableLine | Readonly<Record<string, unknown>>;

/**
 * Writes a project as lines of JSON. A line `cursor` says where another export goes on, so that a broken download does
 * not begin again. The last line is `end`.
 */
export function exportProject(source: ExportSource, after?: string): AsyncGenerator<string> {
  return written(new ProjectExport(source).lines(after === undefined ? undefined : placeOf(after)));
}

async function* written(lines: AsyncIterable<Line>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

function placeOf(cursor: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    // Only its section is checked: a wrong place in it ends the section early or begins it again.
    if (isObject(place) && sections.some((section) => section === place.in)) return place as unknown as Place;
  } catch {
    // Like an unknown section.
  }
  throw serviceErrors.wrongExportCursor(cursor);
}

const sections = ["issues", "events", "feedback", "groups", "project", "triage"] as const;

class ProjectExport {
  readonly #source: ExportSource;
  readonly #limits: PortableLimits;
  #fingerprints: ReadonlyMap<number, readonly string[]> = new Map();

  constructor(source: ExportSource) {
    this.#source = source;
    this.#limits = source.limits ?? portableLimits;
  }

  async *lines(from: Place | undefined): AsyncGenerator<Line> {
    const { project, now } = this.#source;
    if (from === undefined) yield { kind: "header", format: portableFormat, project: project.name, exportedAt: now() };
    this.#fingerprints = await this.#readFingerprints();
    for (const section of sections.slice(from === undefined ? 0 : sections.indexOf(from.in)))
      yield* this.#section(section, from?.in === section ? from : undefined);
    yield { kind: "end" };
  }

  #section(section: Place["in"], from: Place | undefined): AsyncGenerator<Line> {
    const after = from !== undefined && "after" in from ? from.after : -1;
    switch (section) {
      case "issues":
        return this.#byGroup(section, after, (group) => this.#issue(group));
      case "events":
        return this.#events(from?.in === "events" ? from : undefined);
      case "feedback":
        return this.#feedback(after);
      case "groups":
        return this.#byGroup(section, after, (group) => this.#groupFigures(group));
      case "project":
        return this.#projectFigures(from?.in === "project" ? from.table : undefined);
      case "triage":
        return this.#byGroup(section, after, (group) => this.#triage(group));
    }
  }

  async *#byGroup(
    section: "issues" | "groups" | "triage",
    from: number,
    linesOf: (group: MovedRow) => AsyncGenerator<Line>,
  ): AsyncGenerator<Line> {
    const { rows, project } = this.#source;
    for (let after = from; ; ) {
      const page = await rows.lasting(groupTable, { after: [after] }, groupsAtOnce);
      for (const group of page) if (group.project === project.id) yield* linesOf(group);
      if (page.length < groupsAtOnce) return;
      after = Number(page.at(-1)?.id);
      yield cursorLine({ in: section, after });
    }
  }

  async *#issue(group: MovedRow): AsyncGenerator<Line> {
    const id = Number(group.id);
    const fingerprints = this.#fingerprints.get(id);
    if (fingerprints === undefined) return;
    // The issue that a group began with may be gone, if it was merged long ago.
    const row = (await this.#issueRow(id)) ?? (await this.#issueRow(Number(group.issue)));
    if (row === undefined) return;
    const shown = group.last_event === null ? row : group;
    yield {
      kind: "issue",
      number: row.id === group.id ? Number(row.number) : undefined,
      fingerprints,
      version: Number(group.version),
      rule: String(group.rule) as Reason["rule"],
      parts: JSON.parse(String(group.parts)) as string[],
      type: textIn(shown.type),
      title: String(shown.title),
      culprit: textIn(shown.culprit),
      level: levelNamed(shown.level),
      platform: textIn(row.platform),
      route: textIn(row.route),
      firstSeen: Number(group.first_seen),
      firstRelease: textIn(row.first_release),
      lastEventId: String(shown.last_event),
    } satisfies IssueLine;
  }

  async *#triage(group: MovedRow): AsyncGenerator<Line> {
    const id = Number(group.id);
    const name = this.#nameOf(id);
    const row = await this.#issueRow(id);
    if (name === undefined || row === undefined) return;
    const history = await this.#source.store.history(this.#source.project.id, id);
    yield {
      kind: "triage",
      group: name,
      state: stateOf(String(row.state)),
      assignee: textIn(row.assignee),
      ticket: textIn(row.ticket),
      mergedInto: row.merged_into === null ? undefined : this.#nameOf(Number(row.merged_into)),
      history: history.flatMap(({ at, by, what }) => {
        const named = what.kind === "imported" ? undefined : this.#namedIn(what);
        return named === undefined ? [] : [{ at, by, what: named }];
      }),
    } satisfies TriageLine;
  }

  async *#events(from: Extract<Place, { in: "events" }> | undefined): AsyncGenerator<Line> {
    const { rows } = this.#source;
    const parts = await rows.parts();
    // A part that retention has deleted meanwhile is left out, with those before it.
    const begin = from === undefined ? 0 : parts.findIndex(({ name }) => name >= from.part);
    for (const part of begin < 0 ? [] : parts.slice(begin)) {
      const cursor = from?.part === part.name ? from.cursor : undefined;
      for await (const chunk of rows.rows(part, cursor)) {
        yield* this.#eventsOf(chunk.rows, part);
        yield cursorLine({ in: "events", part: part.name, cursor: chunk.cursor });
      }
    }
  }

  /** A database is read table by table: files and second ids do not come with their events. */
  async *#eventsOf({ event = [], attachment = [] }: PartRows, part: MovedPart): AsyncGenerator<Line> {
    const { project, store, rows } = this.#source;
    const ours = event.filter((row) => row.project === project.id);
    const times = new Map(ours.map((row) => [String(row.event_id), Number(row.received_at)]));
    const others =
      ours.length === 0
        ? new Map<number, string>()
        : await rows.otherIds(
            part,
            ours.map(({ id }) => Number(id)),
          );
    for (let at = 0; at < ours.length; at += bodiesAtOnce) {
      const some = ours.slice(at, at + bodiesAtOnce);
      const records = await store.eventsById(
        project.id,
        some.map((row) => String(row.event_id)),
      );
      const bodies = new Map(records.map(({ eventId, body }) => [eventId, body]));
      for (const row of some) {
        const body = bodies.get(String(row.event_id));
        // Erased since its row was read.
        if (body === undefined) continue;
        if (body.kind === "damaged") yield leftOut("body of an event", String(row.event_id), "It is damaged.");
        yield this.#event(row, others.get(Number(row.id)), body);
      }
    }
    for (const row of attachment)
      if (row.project === project.id) yield this.#attachment(row, times.get(String(row.event_id)) ?? part.from);
  }

  #event(row: MovedRow, otherId: string | undefined, body: EventBody): EventLine {
    return {
      kind: "event",
      id: String(row.event_id),
      otherId,
      at: Number(row.at),
      receivedAt: Number(row.received_at),
      group: this.#nameOf(Number(row.grp)),
      level: levels[Number(row.level)] ?? "error",
      route: textIn(row.route),
      release: textIn(row.release),
      environment: textIn(row.environment),
      traceId: textIn(row.trace_id),
      visitor: row.visitor === null ? undefined : Number(row.visitor),
      event: body.kind === "whole" ? body.event : undefined,
    };
  }

  /** The time says in which week it is stored: that of its event. */
  #attachment(row: MovedRow, receivedAt: number): Line {
    const eventId = String(row.event_id);
    const filename = String(row.filename);
    const bytes = row.packed instanceof Uint8Array ? unpack(row.packed) : undefined;
    if (bytes === undefined) return leftOut(filename, eventId, "It is damaged.");
    const { attachmentBytes } = this.#limits;
    if (bytes.length > attachmentBytes) return leftOut(filename, eventId, `It has more than ${attachmentBytes} bytes.`);
    return {
      kind: "attachment",
      eventId,
      receivedAt,
      filename,
      contentType: textIn(row.content_type),
      base64: Buffer.from(bytes).toString("base64"),
    };
  }

  async *#feedback(from: number): AsyncGenerator<Line> {
    const { rows, project } = this.#source;
    for (let after = from; ; ) {
      const page = await rows.lasting(feedbackTable, { after: [after] }, rowsAtOnce);
      for (const row of page)
        if (row.project === project.id)
          yield {
            kind: "feedback",
            at: Number(row.at),
            eventId: textIn(row.event_id),
            name: textIn(row.name),
            email: textIn(row.email),
            url: textIn(row.url),
            message: String(row.message),
            ownId: textIn(row.own_id),
            facts: row.facts === null ? {} : (JSON.parse(String(row.facts)) as FeedbackFacts),
            archivedAt: row.archived_at === null ? undefined : Number(row.archived_at),
          } satisfies FeedbackLine;
      if (page.length < rowsAtOnce) return;
      after = Number(page.at(-1)?.id);
      yield cursorLine({ in: "feedback", after });
    }
  }

  async *#groupFigures(group: MovedRow): AsyncGenerator<Line> {
    const id = Number(group.id);
    const name = this.#nameOf(id);
    if (name === undefined) return;
    for (const table of groupFigures) {
      const owned = await this.#source.rows.lasting(table, { after: [id - 1], upTo: [id] });
      yield* figureLines(table, owned, name);
    }
  }

  async *#projectFigures(from: string | undefined): AsyncGenerator<Line> {
    const begin = from === undefined ? 0 : projectFigures.findIndex(({ name }) => name === from);
    for (const table of projectFigures.slice(Math.max(0, begin))) {
      yield cursorLine({ in: "project", table: table.name });
      for await (const page of this.#pagesOf(table)) yield* figureLines(table, page.filter(countsSomething));
    }
  }

  /** A page ends with all rows of its last owner, because the next one begins after it. */
  async *#pagesOf(table: LastingTable): AsyncGenerator<readonly MovedRow[]> {
    const { rows, project } = this.#source;
    const [, second] = table.owner;
    if (second === undefined) {
      yield await rows.lasting(table, { after: [project.id - 1], upTo: [project.id] });
      return;
    }
    const upTo = [project.id, Number.MAX_SAFE_INTEGER];
    for (let after = -1; ; ) {
      const page = await rows.lasting(table, { after: [project.id, after], upTo }, rowsAtOnce);
      const last = Number(page.at(-1)?.[second]);
      if (page.length < rowsAtOnce) return yield page;
      yield page.filter((row) => row[second] !== last);
      yield await rows.lasting(table, { after: [project.id, last - 1], upTo: [project.id, last] });
      after = last;
    }
  }

  async #readFingerprints(): Promise<ReadonlyMap<number, readonly string[]>> {
    const { rows, project } = this.#source;
    const found = new Map<number, string[]>();
    for (let after: Uint8Array = new Uint8Array(0); ; ) {
      const page = await rows.lasting(fingerprintTable, { after: [project.id, after] }, rowsAtOnce);
      for (const { project: of, hash, grp } of page) {
        if (of !== project.id || !(hash instanceof Uint8Array)) return found;
        const known = found.get(Number(grp));
        if (known === undefined) found.set(Number(grp), [hexOf(hash)]);
        else known.push(hexOf(hash));
        after = hash;
      }
      if (page.length < rowsAtOnce) return found;
    }
  }

  /** Names the issues of an entry by fingerprints. Undefined if one of them is gone. */
  #namedIn(what: HistoryEntry["what"]): Readonly<Record<string, unknown>> | undefined {
    if (!("issue" in what)) return { ...what };
    const issue = this.#nameOf(what.issue);
    if (issue === undefined) return undefined;
    if (what.kind !== "merged" || what.groups === undefined) return { ...what, issue };
    return { ...what, issue, groups: what.groups.flatMap((group) => this.#nameOf(group) ?? []) };
  }

  async #issueRow(id: number): Promise<MovedRow | undefined> {
    return (await this.#source.rows.lasting(issueTable, { after: [id - 1], upTo: [id] }))[0];
  }

  #nameOf(group: number): string | undefined {
    return this.#fingerprints.get(group)?.[0];
  }
}

const tableNamed = (wanted: string): LastingTable => {
  const found = lastingTables.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no table ${wanted}.`);
  return found;
};
const issueTable = tableNamed("issue");
const groupTable = tableNamed("issue_group");
const fingerprintTable = tableNamed("fingerprint");
const feedbackTable = tableNamed("feedback");

function cursorLine(place: Place): Line {
  return { kind: "cursor", after: Buffer.from(JSON.stringify(place)).toString("base64url") };
}

function leftOut(what: string, eventId: string, why: string): Line {
  return { kind: "left-out", what, eventId, why };
}

/** Columns that depend on the store: the owner is named otherwise. */
const ownColumns: ReadonlySet<string> = new Set(["project", "grp", "id", "issue", "version", "rule", "parts"]);

function* figureLines(table: LastingTable, rows: readonly MovedRow[], group?: string): Generator<FiguresLine> {
  for (let at = 0; at < rows.length; at += rowsPerLine)
    yield {
      kind: "figures",
      of: table.name,
      group,
      rows: rows.slice(at, at + rowsPerLine).map(portableRow),
    };
}

/** A store may have an hour without any visitor. */
function countsSomething({ packed }: MovedRow): boolean {
  return !(packed instanceof Uint8Array) || packed.some((byte) => byte > 0);
}

function portableRow(row: MovedRow): FiguresLine["rows"][number] {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !ownColumns.has(column))
      .map(([column, value]) => [column, value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value]),
  );
}

function textIn(value: MovedValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function levelNamed(value: MovedValue | undefined): EventLevel {
  return levels.find((level) => level === value) ?? "error";
}
