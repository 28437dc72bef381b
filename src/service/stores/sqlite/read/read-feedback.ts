import { idOfDigest } from "#protocol";
import type { FeedbackRecord } from "../../records.ts";
import type { FeedbackChange, FeedbackQuery, FeedbackSubject } from "../../store-requests.ts";
import { readFeedbackFacts } from "../../values/feedback-facts.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import { idsOf, rangeOf } from "./read-events.ts";

interface Row {
  id: number;
  at: number;
  event_id: Uint8Array | null;
  name: string | null;
  email: string | null;
  url: string | null;
  message: string;
  own_id: Uint8Array | null;
  facts: string | null;
  archived_at: number | null;
}

export function readFeedbackRecords(
  files: StoreFiles,
  project: number,
  about?: FeedbackSubject,
): readonly FeedbackRecord[] {
  const { meta } = files;
  if (about === undefined)
    return meta
      .all<Row>("SELECT * FROM feedback WHERE project = ? ORDER BY at DESC, id DESC LIMIT 200", project)
      .map(recordOf);
  if ("ownId" in about)
    return meta
      .all<Row>("SELECT * FROM feedback WHERE project = ? AND own_id BETWEEN ? AND ?", project, ...rangeOf(about.ownId))
      .map(recordOf);
  if ("email" in about)
    return meta
      .all<Row>(
        "SELECT * FROM feedback WHERE project = ? AND email = ? COLLATE NOCASE ORDER BY at DESC LIMIT 200",
        project,
        about.email,
      )
      .map(recordOf);
  const ids = about.eventIds.flatMap((id) => idsOf(files, project, id)).flatMap((id) => [id, idOfDigest(id)]);
  return [...new Set(ids)]
    .flatMap((id) => meta.all<Row>("SELECT * FROM feedback WHERE project = ? AND event_id = ?", project, bytesOf(id)))
    .sort((a, b) => b.at - a.at)
    .map(recordOf);
}

export function readFeedbackList(
  { meta }: StoreFiles,
  { project, archived, before, limit }: FeedbackQuery,
): readonly FeedbackRecord[] {
  const { at, id } = before ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
  return meta
    .all<Row>(
      `SELECT * FROM feedback WHERE project = ? AND (archived_at IS NULL) = ? AND (at, id) < (?, ?)
       ORDER BY at DESC, id DESC LIMIT ?`,
      project,
      Number(!archived),
      at,
      id,
      limit,
    )
    .map(recordOf);
}

/** People's changes are not in the journal, so they are on disk before the response. */
export function changeFeedbackDurably(
  { meta }: StoreFiles,
  { project, ids, archived, at }: FeedbackChange,
): readonly number[] {
  const changed = ids.filter(
    (id) =>
      meta.run(
        "UPDATE feedback SET archived_at = ? WHERE id = ? AND project = ? AND (archived_at IS NULL) = ?",
        archived ? at : null,
        id,
        project,
        Number(archived),
      ).changes > 0,
  );
  meta.sync();
  return changed;
}

function recordOf(row: Row): FeedbackRecord {
  return {
    id: row.id,
    ownId: row.own_id === null ? undefined : hexOf(row.own_id),
    at: row.at,
    eventId: row.event_id === null ? undefined : hexOf(row.event_id),
    name: row.name ?? undefined,
    email: row.email ?? undefined,
    url: row.url ?? undefined,
    message: row.message,
    facts: readFeedbackFacts(row.facts),
    archivedAt: row.archived_at ?? undefined,
  };
}
