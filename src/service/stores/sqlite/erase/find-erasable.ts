import type { ErasablePage, ErasableQuery } from "../../erase/erasure.ts";
import { nothingErased } from "../../erase/erasure.ts";
import { FoundRows } from "../../erase/found-rows.ts";
import { ErasureMatcher, linkedTo } from "../../erase/matcher.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { hexOf } from "../../values/row-values.ts";
import { spansIn } from "../read/read-traces.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";

/** Finds rows to be erased in one week. Reads a bounded number of rows, and bodies only if a text is looked for. */
export function findErasable(files: StoreFiles, query: ErasableQuery): ErasablePage {
  const listed = files.weekList().find(({ name }) => name === query.part);
  const week = listed && files.openWeek(listed);
  const found = new FoundRows();
  if (week === undefined) return found.page(undefined);
  const matcher = new ErasureMatcher(query.match);
  return found.page(finders[query.kind]({ files, week, query, matcher, found }));
}

interface Search {
  readonly files: StoreFiles;
  readonly week: WeekFile;
  readonly query: ErasableQuery;
  readonly matcher: ErasureMatcher;
  readonly found: FoundRows;
}

const finders = { events: findEvents, spans: findSpans, logs: findLogs, references: findReferences };

interface FoundEvent {
  id: number;
  event_id: Uint8Array;
  grp: number;
  visitor: number | null;
  trace_id: Uint8Array | null;
  place: number | null;
}

function findEvents({ week, query, matcher, found }: Search): number | undefined {
  const { match, project, after, limit } = query;
  const columns = "SELECT id, event_id, grp, visitor, trace_id, place FROM event WHERE project = ? AND id > ?";
  const rows = matcher.looksAtAll
    ? week.database.all<FoundEvent>(`${columns} ORDER BY id LIMIT ?`, project, after, limit)
    : week.database.all<FoundEvent>(
        `${columns} AND (grp IN (SELECT value FROM json_each(?)) OR visitor IN (SELECT value FROM json_each(?))
             OR event_id IN (SELECT unhex(value) FROM json_each(?)) OR trace_id IN (SELECT unhex(value) FROM json_each(?)))
           ORDER BY id LIMIT ?`,
        project,
        after,
        JSON.stringify(match.groups),
        JSON.stringify(match.visitors),
        JSON.stringify(match.eventIds),
        JSON.stringify(match.traces),
        limit,
      );
  // Neighbours in a block are decompressed once.
  for (const row of rows.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
    const eventId = hexOf(row.event_id);
    const traceId = row.trace_id === null ? null : hexOf(row.trace_id);
    const isRow = matcher.eventRow({ ...row, eventId, traceId });
    const isVisitor = matcher.isVisitor(row.visitor);
    if (!isRow && !matcher.readsBodies) continue;
    const reading = isVisitor || !isRow ? week.bodies.read(row) : undefined;
    const body = reading?.kind === "whole" ? reading.body : undefined;
    if (!isRow && (body === undefined || !matcher.body(body))) continue;
    found.addEvent({ id: row.id, group: row.grp, eventId });
    const event = isVisitor && body !== undefined ? eventOfJson(body, eventId) : undefined;
    if (event !== undefined) found.link(linkedTo(event));
    if (isVisitor && traceId !== null) found.link({ traces: [traceId] });
  }
  const { n = 0 } =
    week.database.one<{ n: number }>(
      `SELECT count(*) AS n FROM attachment WHERE project = ?
         AND event_id IN (SELECT event_id FROM event WHERE id IN (SELECT value FROM json_each(?)))`,
      project,
      JSON.stringify(found.ids),
    ) ?? {};
  found.counts = { ...nothingErased, events: found.ids.length, attachments: n };
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

interface FoundSpans {
  id: number;
  trace_id: Uint8Array;
  place: number | null;
  packed: Uint8Array;
  /** 1 if one of the visitors was there. */
  own: number;
}

function findSpans({ week, query, matcher, found }: Search): number | undefined {
  const { match, project, after, limit } = query;
  const some = `AND (trace_id IN (SELECT unhex(value) FROM json_each(?4))
    OR id IN (SELECT block FROM segment WHERE visitor IN (SELECT value FROM json_each(?3))))`;
  const rows = week.database.all<FoundSpans>(
    `SELECT id, trace_id, place, packed, EXISTS (SELECT 1 FROM segment WHERE block = span_block.id
         AND visitor IN (SELECT value FROM json_each(?3))) AS own
     FROM span_block WHERE project = ?1 AND id > ?2 ${matcher.looksAtAll ? "AND ?4 <> ''" : some}
     ORDER BY id LIMIT ?5`,
    project,
    after,
    JSON.stringify(match.visitors),
    JSON.stringify(match.traces),
    limit,
  );
  for (const row of rows.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
    const traceId = hexOf(row.trace_id);
    const isRow = match.all || row.own === 1 || matcher.isTrace(traceId);
    const reading = isRow ? undefined : spansIn(week, row);
    if (!isRow && !(reading?.kind === "whole" && matcher.body(reading.body))) continue;
    found.ids.push(row.id);
    if (row.own === 1) found.link({ traces: [traceId] });
  }
  found.counts = { ...nothingErased, traces: found.ids.length };
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

function findLogs({ week, query, matcher, found }: Search): number | undefined {
  const { project, after, limit } = query;
  if (!matcher.looksAtLines) return undefined;
  const rows = week.database.all<{ id: number; packed: Uint8Array }>(
    "SELECT id, packed FROM log_block WHERE project = ? AND id > ? ORDER BY id LIMIT ?",
    project,
    after,
    limit,
  );
  found.addLogBlocks(rows, matcher);
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

/** Retention may have deleted the event that a reference was made of. */
function findReferences({ files, week, query, matcher, found }: Search): number | undefined {
  const { match, project, after, limit } = query;
  const rows = week.database.all<{ grp: number; packed: Uint8Array }>(
    "SELECT grp, packed FROM reference_body WHERE grp > ? ORDER BY grp LIMIT ?",
    after,
    limit,
  );
  const isWanted = ({ grp, packed }: { grp: number; packed: Uint8Array }): boolean => {
    if (files.meta.one("SELECT 1 FROM issue_group WHERE id = ? AND project <> ?", grp, project) !== undefined)
      return false;
    if (match.all || matcher.group(grp)) return true;
    return matcher.reference(packed);
  };
  for (const row of rows) if (isWanted(row)) found.ids.push(row.grp);
  return rows.length < limit ? undefined : rows.at(-1)?.grp;
}
