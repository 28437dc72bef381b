import type { EnvelopeItem } from "../envelope/write-envelope.ts";

/** A file that a client sent beside its event. */
export interface ReportedAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly attachmentType: string;
  readonly bytes: Uint8Array;
}

/** The item header alone describes an attachment, so none is unreadable. */
export function readAttachment({ header, payload }: EnvelopeItem): ReportedAttachment {
  return {
    // Shown and offered for download: only the last part of the name, without control characters.
    filename: (header.filename ?? "").replace(/^.*[/\\]/, "").replace(/\p{Cc}/gu, "") || "attachment",
    contentType: header.contentType ?? "application/octet-stream",
    attachmentType: header.attachmentType ?? "event.attachment",
    bytes: payload,
  };
}
