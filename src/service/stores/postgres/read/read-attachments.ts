import { packedSize, packedSizeBytes, unpack } from "../../bodies/packing.ts";
import { mostAttachments } from "../../limits.ts";
import type { AttachmentRecord, AttachmentSummary } from "../../records.ts";
import type { ReadDeps } from "./reader.ts";

interface AttachmentRow {
  id: number;
  filename: string;
  content_type: string | null;
  packed: Uint8Array;
}

export async function readAttachments(
  { pool }: ReadDeps,
  project: number,
  eventId: string,
): Promise<readonly AttachmentSummary[]> {
  const rows = await pool.all<AttachmentRow>(
    `SELECT id, filename, content_type, substr(packed, 1, ${packedSizeBytes}) AS packed FROM holdfast.attachment
     WHERE event_id = $1 AND project = $2 ORDER BY part DESC, id LIMIT ${mostAttachments}`,
    eventId,
    project,
  );
  return rows.map(({ id, filename, content_type, packed }) => ({
    id,
    filename,
    contentType: content_type ?? undefined,
    size: packedSize(packed),
  }));
}

export async function readAttachmentBytes(
  { pool }: ReadDeps,
  project: number,
  eventId: string,
  id: number,
): Promise<AttachmentRecord | undefined> {
  const row = await pool.one<AttachmentRow>(
    `SELECT id, filename, content_type, packed FROM holdfast.attachment
     WHERE id = $1 AND event_id = $2 AND project = $3`,
    id,
    eventId,
    project,
  );
  const bytes = row && unpack(row.packed);
  return bytes && { id, filename: row.filename, contentType: row.content_type ?? undefined, bytes };
}
