import type { ProtocolLimits } from "#protocol";
import type { AttachmentLimits } from "./limits.ts";

/** The limits of files that hold now, and those of the envelopes that carry them. */
export interface AttachmentRules {
  readonly limits: AttachmentLimits;
  readonly protocol: ProtocolLimits;
}

export function attachmentRules(limits: AttachmentLimits, protocol: ProtocolLimits): AttachmentRules {
  const attachmentBytes = Math.min(limits.fileBytes, protocol.attachmentBytes);
  return { limits, protocol: { ...protocol, attachmentBytes } };
}
