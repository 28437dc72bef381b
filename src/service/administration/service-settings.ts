import { dirname, join } from "node:path";
import { isObject } from "#protocol";
import { type AttachmentLimits, attachmentLimits, leastFileBytes } from "../accept/limits.ts";
import { readDocument, type SharedDocument } from "../documents/document.ts";
import { type ScrubRules, scrubRules } from "../filing/scrub.ts";
import { leastKeepBytes, type RetentionLimits, retentionLimits } from "../retention/limits.ts";

/** Settings of the whole service that owners change, in a small file of its data folder. */
export interface ServiceSettings {
  readonly keepDays: number;
  readonly keepBytes: number;
  readonly scrub: ScrubRules;
  /** Files that clients attach to events. */
  readonly attachments: AttachmentLimits;
}

/**
 * Files: from what any log needs to what one envelope may have, which is 20 MiB packed. A day: up to a large disk.
 * Days: from one to the longest retention that any law requires. Bytes: from the service's own need to a large disk.
 */
const settingBounds = {
  keepDays: [1, 3_650],
  keepBytes: [leastKeepBytes, 64 * 1024 ** 4],
  attachedFileBytes: [leastFileBytes, 16 * 1024 ** 2],
  attachedEventBytes: [leastFileBytes, 20 * 1024 ** 2],
  attachedDayBytes: [leastFileBytes, 1024 ** 4],
  secretNames: 200,
  secretNameLength: 100,
} as const;

export const settingsFile = "settings.json";

/** Reads the settings. Missing ones have their default, and a broken file counts as absent. */
export function readSettings(folder: string): ServiceSettings {
  const read = readDocument(join(folder, settingsFile));
  const settings = isObject(read) ? read : {};
  const scrub = isObject(settings.scrub) ? settings.scrub : {};
  return {
    keepDays: within(settings.keepDays, settingBounds.keepDays) ?? retentionLimits.keepDays,
    keepBytes: within(atLeast(settings.keepBytes), settingBounds.keepBytes) ?? retentionLimits.keepBytes,
    scrub: {
      alsoSecret: namesIn(scrub.alsoSecret),
      keepAddresses: scrub.keepAddresses === true ? true : scrubRules.keepAddresses,
    },
    attachments: readAttachmentLimits(settings.attachments),
  };
}

function readAttachmentLimits(value: unknown): AttachmentLimits {
  const given = isObject(value) ? value : {};
  return {
    keep: given.keep === false ? false : attachmentLimits.keep,
    fileBytes: within(given.fileBytes, settingBounds.attachedFileBytes) ?? attachmentLimits.fileBytes,
    eventBytes: within(given.eventBytes, settingBounds.attachedEventBytes) ?? attachmentLimits.eventBytes,
    dayBytes: within(given.dayBytes, settingBounds.attachedDayBytes) ?? attachmentLimits.dayBytes,
  };
}

/** Returns the problems of new settings, by name. Empty if they can be saved. */
export function problemsOf(wish: ServiceSettings): Readonly<Record<string, string>> {
  return {
    ...(within(wish.keepDays, settingBounds.keepDays) === undefined && { keepDays: "From 1 day to 3,650." }),
    ...(within(wish.keepBytes, settingBounds.keepBytes) === undefined && {
      keepBytes:
        wish.keepBytes > leastKeepBytes ? "At most 70,000 GB." : "At least 0.04 GB: the service itself needs it.",
    }),
    ...problemsOfAttachments(wish.attachments),
    ...(wish.scrub.alsoSecret.length > settingBounds.secretNames && { alsoSecret: "At most 200 names." }),
  };
}

function problemsOfAttachments({ fileBytes, eventBytes, dayBytes }: AttachmentLimits): Record<string, string> {
  const { attachedFileBytes, attachedEventBytes, attachedDayBytes } = settingBounds;
  return {
    ...(within(fileBytes, attachedFileBytes) === undefined && { attachedFile: "From 0.02 MB to 16." }),
    ...(within(eventBytes, attachedEventBytes) === undefined && { attachedEvent: "From 0.02 MB to 20." }),
    ...(within(dayBytes, attachedDayBytes) === undefined && { attachedDay: "From 0.02 MB to 1,000,000." }),
  };
}

/** The settings for those who change them. Everyone else reads the file. */
export interface Settings {
  read(): ServiceSettings;
  change(settings: ServiceSettings): Promise<void>;
}

export function settingsOf(document: SharedDocument): Settings {
  return {
    read: () => readSettings(dirname(document.file)),
    change: (settings) => document.change(() => settings),
  };
}

/** Merges the limits. Those given at the start take precedence over the console's settings. */
export function retentionOf(settings: ServiceSettings, overrides: Partial<RetentionLimits>): Partial<RetentionLimits> {
  return { keepDays: settings.keepDays, keepBytes: settings.keepBytes, ...overrides };
}

function within(value: unknown, [least, most]: readonly [number, number]): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? Math.round(value) : undefined;
}

/** A number below the minimum, written by hand, means the minimum and not the default. */
function atLeast(value: unknown): unknown {
  return typeof value === "number" ? Math.max(value, leastKeepBytes) : value;
}

function namesIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((name): name is string => typeof name === "string" && name.trim() !== "")
    .map((name) => name.trim().slice(0, settingBounds.secretNameLength))
    .slice(0, settingBounds.secretNames);
}
