import { idOfDigest } from "#protocol";
import type { FeedbackRecord } from "../../records.ts";
import type { FeedbackChange, FeedbackQuery, FeedbackSubject } from "../../store-requests.ts";
import { readFeedbackFacts } from "../../values/feedback-facts.ts";
import type { Pool } from "../connect/connections.ts";
import { idsOf } from "./read-events.ts";
import type { ReadDeps } from "./reader.ts";

interface Row {
  id: number;
  at: number;
  event_id: string | null;
  name: string | null;
  email: string | null;
  url: string | null;
  message: string;
  own_id: string | null;
  facts: string | null;
  archived_at: number | null;
}

export async function readFeedbackRecords(
  deps: ReadDeps,
  project: number,
  about?: FeedbackSubject,
): Promise<readonly FeedbackRecord[]> {
  return (await rowsAbout(deps, project, about)).map(recordOf);
}

async function rowsAbout(deps: ReadDeps, project: number, about: FeedbackSubject | undefined): Promise<readonly Row[]> {
  if (about === undefined)
    return deps.pool.all<Row>(
      "SELECT * FROM holdfast.feedback WHERE project = $1 ORDER BY at DESC, id DESC LIMIT 200",
      project,
    );
  if ("ownId" in about)
    return deps.pool.all<Row>(
      "SELECT * FROM holdfast.feedback WHERE project = $1 AND own_id BETWEEN $2::uuid AND $3::uuid",
      project,
      about.ownId.padEnd(32, "0"),
      about.ownId.padEnd(32, "f"),
    );
  if ("email" in about)
    return deps.pool.all<Row>(
      "SELECT * FROM holdfast.feedback WHERE project = $1 AND lower(email) = lower($2) ORDER BY at DESC LIMIT 200",
      project,
      about.email,
    );
  const ids = (await idsOf(deps, project, about.eventIds)).flatMap((id) => [id, idOfDigest(id)]);
  return deps.pool.all<Row>(
    "SELECT * FROM holdfast.feedback WHERE project = $1 AND event_id = ANY ($2::uuid[]) ORDER BY at DESC",
    project,
    ids,
  );
}

export async function readFeedbackList(
  { pool }: ReadDeps,
  { project, archived, before, limit }: FeedbackQuery,
): Promise<readonly FeedbackRecord[]> {
  const { at, id } = before ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
  const rows = await pool.all<Row>(
    `SELECT * FROM holdfast.feedback WHERE project = $1 AND (archived_at IS NULL) = $2 AND (at, id) < ($3, $4)
     ORDER BY at DESC, id DESC LIMIT $5`,
    project,
    !archived,
    at,
    id,
    limit,
  );
  return rows.map(recordOf);
}

export async function changeFeedback(
  pool: Pool,
  { project, ids, archived, at }: FeedbackChange,
): Promise<readonly number[]> {
  const rows = await pool.all<{ id: number }>(
    `UPDATE holdfast.feedback SET archived_at = $1
     WHERE id = ANY ($2::bigint[]) AND project = $3 AND (archived_at IS NULL) = $4 RETURNING id`,
    archived ? at : null,
    ids,
    project,
    archived,
  );
  return rows.map(({ id }) => id);
}

function recordOf(row: Row): FeedbackRecord {
  return {
    id: row.id,
    ownId: row.own_id ?? undefined,
    at: row.at,
    eventId: row.event_id ?? undefined,
    name: row.name ?? undefined,
    email: row.email ?? undefined,
    url: row.url ?? undefined,
    message: row.message,
    facts: readFeedbackFacts(row.facts),
    archivedAt: row.archived_at ?? undefined,
  };
}
