import { readLevel } from "#protocol";
import type { LogLine } from "./filed.ts";
import type { FilterField, IssueFilter } from "./filter-language.ts";
import { matcherOf, textsOf } from "./match-terms.ts";

/** Attributes that clients and collectors send for a field, the usual one first. */
const attributesOf: Readonly<Partial<Record<FilterField, readonly string[]>>> = {
  release: ["sentry.release", "service.version"],
  environment: ["sentry.environment", "deployment.environment.name", "deployment.environment"],
  route: ["http.route", "route", "sentry.transaction", "sentry.segment.name"],
  user: ["user.id", "user.email", "user.name"],
  platform: ["sentry.sdk.name", "telemetry.sdk.language"],
};

/** Returns whether a line matches the filter of a screen. Unknown fields are attributes. */
export function logMatcher(filter: IssueFilter): (line: LogLine) => boolean {
  const matches = matcherOf(filter);
  return (line) => matches({ text: line.body, valuesOf: (field, key) => valuesOf(line, field, key) });
}

function valuesOf(line: LogLine, field: FilterField, key: string | undefined): readonly string[] {
  if (field === "level") return levelNames(line.level);
  if (key === "trace") return line.traceId === undefined ? [] : [line.traceId];
  if (key === "span") return line.spanId === undefined ? [] : [line.spanId];
  if (field === "user") return (attributesOf.user ?? []).flatMap((name) => textsOf(line.attributes, [name]));
  return textsOf(line.attributes, attributesOf[field] ?? [key ?? field]);
}

/** `warn` is also found as `warning`, as which the filter language reads it. */
export function levelNames(level: string): readonly string[] {
  const name = readLevel(level);
  return name === undefined || name === level ? [level] : [level, name];
}

export function environmentOfLine({ attributes }: LogLine): string | undefined {
  return textsOf(attributes, attributesOf.environment ?? [])[0];
}

export function routeOfLine({ attributes }: LogLine): string | undefined {
  return textsOf(attributes, attributesOf.route ?? [])[0];
}

/** The one trace that a filter asks for. Its lines have an index. */
export function traceIn({ terms }: IssueFilter): string | undefined {
  const value = terms.find(({ key, not }) => key === "trace" && !not)?.value.toLowerCase();
  return value !== undefined && /^[\da-f]{32}$/.test(value) ? value : undefined;
}
