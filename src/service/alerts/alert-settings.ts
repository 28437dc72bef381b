import { isObject } from "#protocol";
import { isTimeZone } from "../check-ins/cron.ts";
import type { Channel } from "./channels/channel.ts";
import { readChannel } from "./channels/read-channel.ts";

/** What the owner of a project has decided about alerts. */
export interface ProjectAlerts {
  readonly channels: readonly NamedChannel[];
  readonly rules: readonly AlertRule[];
  /** Hosts inside the network that webhooks may reach, with a port if it is not the usual one. */
  readonly allowedHosts: readonly string[];
  readonly quietHours: QuietHours | undefined;
  /** A mail about the last day or week, in the morning. */
  readonly summaryMail: SummaryMail;
}

export type SummaryMail = "off" | "daily" | "weekly";

export interface NamedChannel {
  /** Stays the same when the channel is changed. */
  readonly id: string;
  readonly name: string;
  readonly channel: Channel;
}

/** Messages of these hours wait for their end and arrive as one summary. */
export interface QuietHours {
  /** Hours of a day from 0 to 23. The end may be on the next day. */
  readonly from: number;
  readonly to: number;
  readonly timeZone: string;
}

export const ruleKinds = [
  "new-issue",
  "regression",
  "frequency",
  "error-rate",
  "crash-free",
  "budget",
  "check-in",
  "service",
] as const;

export type RuleKind = (typeof ruleKinds)[number];

export interface AlertRule {
  readonly kind: RuleKind;
  readonly isOn: boolean;
  /** Until then nothing is sent; milliseconds since 1970. */
  readonly mutedUntil: number | undefined;
  readonly filters: RuleFilters;
  /** For `frequency`: whichever is reached first within the minutes. */
  readonly events: number;
  readonly visitors: number;
  readonly minutes: number;
  /** For `error-rate`: times the same hour of last week. For `crash-free`: percentage points below it. */
  readonly factor: number;
}

/** Empty lists match everything. Routes may end with `*`. */
export interface RuleFilters {
  readonly levels: readonly string[];
  readonly environments: readonly string[];
  readonly routes: readonly string[];
}

export interface AlertLimits {
  /** One person reads a few; a program that needs more receives one webhook and distributes it. */
  readonly channels: number;
  readonly allowedHosts: number;
  readonly filterValues: number;
}

export const alertLimits: AlertLimits = { channels: 20, allowedHosts: 20, filterValues: 20 };

const noFilters: RuleFilters = { levels: [], environments: [], routes: [] };

/** Least and most of each number. An event of a look costs a row, so that its events are bound. */
export const ruleBounds: Readonly<Record<"events" | "visitors" | "minutes" | "factor", readonly [number, number]>> = {
  events: [1, 10_000],
  visitors: [1, 10_000],
  minutes: [1, 1_440],
  factor: [0.1, 1_000],
};

/**
 * Rules as they are without a decision. They apply as soon as a channel exists. 100 events or 25 visitors in ten
 * minutes is more than a bug that few meet, and less than an outage.
 */
export function defaultRule(kind: RuleKind): AlertRule {
  return {
    kind,
    isOn: true,
    mutedUntil: undefined,
    filters: isAboutErrors(kind) ? { ...noFilters, levels: ["fatal", "error"] } : noFilters,
    events: 100,
    visitors: 25,
    minutes: 10,
    factor: kind === "crash-free" ? 2 : 3,
  };
}

function isAboutErrors(kind: RuleKind): boolean {
  return kind === "new-issue" || kind === "regression" || kind === "frequency";
}

/** Reads what was stored. Anything unknown is left out, and missing rules have their default. */
export function readProjectAlerts(value: unknown): ProjectAlerts {
  const stored = isObject(value) ? value : {};
  const rules = Array.isArray(stored.rules) ? stored.rules.filter(isObject) : [];
  return {
    channels: listOf(stored.channels, alertLimits.channels).flatMap(readNamedChannel),
    rules: ruleKinds.map((kind) =>
      readRule(
        kind,
        rules.find((rule) => rule.kind === kind),
      ),
    ),
    allowedHosts: textsIn(stored.allowedHosts, alertLimits.allowedHosts),
    quietHours: readQuietHours(stored.quietHours),
    summaryMail: readSummaryMail(stored.summaryMail),
  };
}

export function readSummaryMail(value: unknown): SummaryMail {
  return value === "daily" || value === "weekly" ? value : "off";
}

function readNamedChannel(value: unknown): NamedChannel[] {
  if (!isObject(value) || typeof value.id !== "string" || typeof value.name !== "string") return [];
  const read = readChannel(value.channel);
  return read.kind === "problem" ? [] : [{ id: value.id, name: value.name, channel: read.channel }];
}

function readRule(kind: RuleKind, value: Readonly<Record<string, unknown>> | undefined): AlertRule {
  const usual = defaultRule(kind);
  if (value === undefined) return usual;
  const filters = isObject(value.filters) ? value.filters : {};
  const { filterValues } = alertLimits;
  return {
    kind,
    isOn: value.isOn !== false,
    mutedUntil: typeof value.mutedUntil === "number" ? value.mutedUntil : undefined,
    filters: {
      levels: textsIn(filters.levels, filterValues),
      environments: textsIn(filters.environments, filterValues),
      routes: textsIn(filters.routes, filterValues),
    },
    events: within(value.events, ...ruleBounds.events) ?? usual.events,
    visitors: within(value.visitors, ...ruleBounds.visitors) ?? usual.visitors,
    minutes: within(value.minutes, ...ruleBounds.minutes) ?? usual.minutes,
    factor: within(value.factor, ...ruleBounds.factor) ?? usual.factor,
  };
}

function readQuietHours(value: unknown): QuietHours | undefined {
  if (!isObject(value) || typeof value.timeZone !== "string" || !isTimeZone(value.timeZone)) return undefined;
  const [from, to] = [within(value.from, 0, 23), within(value.to, 0, 23)];
  return from === undefined || to === undefined || from === to ? undefined : { from, to, timeZone: value.timeZone };
}

function listOf(value: unknown, atMost: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, atMost) : [];
}

function textsIn(value: unknown, atMost: number): string[] {
  return listOf(value, atMost)
    .filter((text): text is string => typeof text === "string" && text.trim() !== "")
    .map((text) => text.trim());
}

function within(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}
