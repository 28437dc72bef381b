import { idOfDigest } from "#protocol";
import type { FeedbackRecord } from "../../records.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import { idsOf } from "./read-events.ts";

export function readFeedbackRecords(
  files: StoreFiles,
  project: number,
  about?: { eventId: string },
): readonly FeedbackRecord[] {
  interface Row {
    at: number;
    event_id: Uint8Array | null;
    name: string | null;
    email: string | null;
    url: string | null;
    message: string;
  }
  const { meta } = files;
  const ids = about && idsOf(files, project, about.eventId).flatMap((id) => [id, idOfDigest(id)]);
  const rows = ids
    ? meta.all<Row>(
        `SELECT * FROM feedback WHERE project = ? AND event_id IN (${ids.map(() => "?").join(", ")}) ORDER BY at DESC`,
        project,
        ...ids.map(bytesOf),
      )
    : meta.all<Row>("SELECT * FROM feedback WHERE project = ? ORDER BY at DESC LIMIT 200", project);
  return rows.map(({ at, event_id, name, email, url, message }) => ({
    at,
    eventId: event_id === null ? undefined : hexOf(event_id),
    name: name ?? undefined,
    email: email ?? undefined,
    url: url ?? undefined,
    message,
  }));
}
