import type { EnvelopeItem } from "../envelope/write-envelope.ts";

/** A file that a client sent beside its event. */
export interface ReportedAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly attachmentType: string;
  readonly bytes: Uint8Array;
}

/** Characters that are not shown and may change how the rest is shown, such as the order of the letters. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** The name is shown and offered for download: only its last part, without characters that hide what it is. */
export function readFileName(given: string): string {
  const name = given
    .replace(/^.*[/\\]/s, "")
    .replace(unseen, "")
    .trim();
  return /^\.*$/.test(name) ? "attachment" : name;
}

/** The item header alone describes an attachment, so none is unreadable. */
export function readAttachment({ header, payload }: EnvelopeItem): ReportedAttachment {
  return {
    filename: readFileName(header.filename ?? ""),
    contentType: header.contentType ?? "application/octet-stream",
    attachmentType: header.attachmentType ?? "event.attachment",
    bytes: payload,
  };
}
