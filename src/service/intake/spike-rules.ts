import { isObject } from "#protocol";

/** What a project does when far more errors arrive than usual. */
export interface SpikeRules {
  readonly isOn: boolean;
  /** A minute is a spike if it has this many times the errors of a usual one. */
  readonly times: number;
  /** And at least this many. */
  readonly least: number;
}

/** Off: every error is kept, unless an owner decides otherwise. */
export const spikeRules: SpikeRules = { isOn: false, times: 10, least: 600 };

export const spikeBounds = { times: [2, 1_000], least: [10, 60_000] } as const;

export interface SpikeLimits {
  /** Of repeated errors in a spike, one of so many is kept. */
  readonly keepOneOf: number;
  /**
   * Kinds of errors that are distinguished within a minute. Of more, only one of `keepOneOf` is kept: more kinds than
   * this are one kind that the fingerprint cannot recognise.
   */
  readonly kinds: number;
  /** A new process learns for so many minutes what is usual, before it drops anything. */
  readonly learnMinutes: number;
  /** The usual rate is that of about so many minutes. */
  readonly usualMinutes: number;
}

export const spikeLimits: SpikeLimits = { keepOneOf: 20, kinds: 10_000, learnMinutes: 10, usualMinutes: 60 };

/** A spike that has begun. Of the last one, people see for a day what was dropped. */
export interface Spike {
  readonly since: number;
  /** The last minute with more errors than allowed. */
  readonly lastAt: number;
  readonly dropped: number;
  /** Errors in the worst minute, and in a usual one. */
  readonly perMinute: number;
  readonly usual: number;
}

/** Values that are missing or out of bounds have their default. */
export function readSpikeRules(value: unknown): SpikeRules {
  const given = isObject(value) ? value : {};
  return {
    isOn: given.isOn === true,
    times: within(given.times, spikeBounds.times) ?? spikeRules.times,
    least: within(given.least, spikeBounds.least) ?? spikeRules.least,
  };
}

export function problemsOfSpikeRules({ times, least }: SpikeRules): Readonly<Record<string, string>> {
  return {
    ...(within(times, spikeBounds.times) === undefined && { times: "From 2 to 1,000." }),
    ...(within(least, spikeBounds.least) === undefined && { least: "A number from 10 to 60,000." }),
  };
}

function within(value: unknown, [least, most]: readonly [number, number]): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

/**
 * A cheap fingerprint: type, place and message without its numbers. Equal errors have the same one, and errors of
 * different issues nearly always have different ones.
 */
export function kindOfError(payload: unknown): string {
  const event = isObject(payload) ? payload : {};
  const exception = isObject(event.exception) ? event.exception.values : event.exception;
  const last = (Array.isArray(exception) ? exception : []).filter(isObject).at(-1);
  if (last === undefined) return `${plain(messageOf(event))} ${fingerprintOf(event.fingerprint)}`;
  const stack = isObject(last.stacktrace) ? last.stacktrace.frames : undefined;
  const frames = (Array.isArray(stack) ? stack : []).filter(isObject);
  const frame = frames.findLast(({ in_app }) => in_app === true) ?? frames.at(-1) ?? {};
  const place = [frame.module, frame.filename, frame.function, frame.lineno].map(String).join(":");
  return [last.type, place, plain(String(last.value)), fingerprintOf(event.fingerprint)].map(String).join(" ");
}

function messageOf({ message, logentry }: Readonly<Record<string, unknown>>): string {
  const entry = isObject(logentry) ? logentry : {};
  return String(entry.message ?? entry.formatted ?? (isObject(message) ? message.formatted : message));
}

function fingerprintOf(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value).slice(0, 200) : "";
}

/** Ids and numbers differ between events of one issue. */
function plain(text: string): string {
  return text.slice(0, 200).replace(/\b[0-9a-f]{8,}\b|\d+/gi, "0");
}
