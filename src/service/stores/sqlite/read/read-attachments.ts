import { packedSize, packedSizeBytes, unpack } from "../../bodies/packing.ts";
import { mostAttachments } from "../../limits.ts";
import type { AttachmentRecord, AttachmentSummary } from "../../records.ts";
import { bytesOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";

interface AttachmentRow {
  id: number;
  filename: string;
  content_type: string | null;
  packed: Uint8Array;
}

export function readAttachments(files: StoreFiles, project: number, eventId: string): readonly AttachmentSummary[] {
  const found: AttachmentSummary[] = [];
  for (const week of files.weeks()) {
    const rows = week.database.all<AttachmentRow>(
      `SELECT id, filename, content_type, substr(packed, 1, ${packedSizeBytes}) AS packed FROM attachment
       WHERE event_id = ? AND project = ? ORDER BY id LIMIT ${mostAttachments}`,
      bytesOf(eventId),
      project,
    );
    for (const { id, filename, content_type, packed } of rows)
      found.push({ id, filename, contentType: content_type ?? undefined, size: packedSize(packed) });
  }
  return found.slice(0, mostAttachments);
}

export function readAttachmentBytes(
  files: StoreFiles,
  project: number,
  eventId: string,
  id: number,
): AttachmentRecord | undefined {
  for (const week of files.weeks()) {
    const row = week.database.one<AttachmentRow>(
      "SELECT id, filename, content_type, packed FROM attachment WHERE id = ? AND event_id = ? AND project = ?",
      id,
      bytesOf(eventId),
      project,
    );
    const bytes = row && unpack(row.packed);
    if (bytes) return { id, filename: row.filename, contentType: row.content_type ?? undefined, bytes };
  }
  return undefined;
}
