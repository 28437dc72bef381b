import { type AttachmentRules, attachmentRules } from "../accept/attachment-rules.ts";
import type { AcceptLimits, AttachmentLimits } from "../accept/limits.ts";
import type { Clock } from "../clock.ts";
import { shares } from "../retention/limits.ts";
import { readSettings } from "./service-settings.ts";

/** Owners change settings in any process, so the file is read again after this time. */
const readAgainMs = 10_000;

export interface FollowedDeps {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly limits: AcceptLimits;
  /** Takes precedence over the settings. */
  readonly overrides: Partial<AttachmentLimits>;
}

/** Returns a function that returns the current rules of attached files. */
export function followAttachments({ dataFolder, clock, limits, overrides }: FollowedDeps): () => AttachmentRules {
  let readAt: number | undefined;
  let rules: AttachmentRules | undefined;
  return () => {
    const now = clock.elapsed();
    if (rules !== undefined && readAt !== undefined && now - readAt < readAgainMs) return rules;
    readAt = now;
    const { attachments, keepBytes } = readSettings(dataFolder);
    // A small disk must have room for events too.
    const dayBytes = Math.min(attachments.dayBytes, keepBytes * shares.attachedInDay);
    rules = attachmentRules({ ...attachments, dayBytes, ...overrides }, limits.protocol);
    return rules;
  };
}
