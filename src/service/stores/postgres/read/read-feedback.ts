import { idOfDigest } from "#protocol";
import type { FeedbackRecord } from "../../records.ts";
import { idsOf } from "./read-events.ts";
import type { ReadDeps } from "./reader.ts";

export async function readFeedbackRecords(
  deps: ReadDeps,
  project: number,
  about?: { eventId: string },
): Promise<readonly FeedbackRecord[]> {
  interface Row {
    at: number;
    event_id: string | null;
    name: string | null;
    email: string | null;
    url: string | null;
    message: string;
  }
  const ids = about && (await idsOf(deps, project, about.eventId)).flatMap((id) => [id, idOfDigest(id)]);
  const rows = ids
    ? await deps.pool.all<Row>(
        "SELECT * FROM holdfast.feedback WHERE project = $1 AND event_id = ANY ($2::uuid[]) ORDER BY at DESC",
        project,
        ids,
      )
    : await deps.pool.all<Row>(
        "SELECT * FROM holdfast.feedback WHERE project = $1 ORDER BY at DESC LIMIT 200",
        project,
      );
  return rows.map(({ at, event_id, name, email, url, message }) => ({
    at,
    eventId: event_id ?? undefined,
    name: name ?? undefined,
    email: email ?? undefined,
    url: url ?? undefined,
    message,
  }));
}
