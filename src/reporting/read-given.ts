import type { About, Attributes, Level, User } from "./door.ts";
import { readKey, valueLimits, writeValue } from "./write-value.ts";

/**
 * What applications hand to `holdfast/report`. It is typed, but comes from code that nobody has checked; what stands beside an error must not cost
 * the error, nor break whoever reports it. None of these throws.
 */
export function readText(given: unknown): string {
  const written = writeValue(given, valueLimits);
  return (typeof written === "string" ? written : JSON.stringify(written)).slice(0, valueLimits.textLength);
}

export function readAbout(given: unknown): About {
  const { tags, extra } = Object.fromEntries(entriesOf(given));
  const about: About = {};
  if (tags !== undefined) about.tags = readTags(tags);
  if (extra !== undefined) about.extra = readFields(extra);
  return about;
}

export function readFields(given: unknown): Record<string, unknown> {
  const written = writeValue(given, valueLimits);
  return fieldsOf(written) ?? { value: written };
}

/** Whoever names a visitor by a text or a number means their id. */
export function readUser(given: unknown): User | undefined {
  if (given === undefined || given === null) return undefined;
  const written = writeValue(given, valueLimits);
  return fieldsOf(written) ?? { id: readText(written) };
}

/** Receivers take texts, numbers and switches, and no other. */
export function readAttributes(given: unknown): Attributes {
  return Object.fromEntries(entriesOf(given).map(([name, value]) => [name, isPlain(value) ? value : readText(value)]));
}

const levels: readonly unknown[] = ["fatal", "error", "warning", "info", "debug"] satisfies Level[];

export function readLevel(given: unknown): Level {
  return levels.includes(given) ? (given as Level) : "info";
}

function readTags(given: unknown): Record<string, string> {
  return Object.fromEntries(entriesOf(given).map(([name, value]) => [name, readText(value)]));
}

/** What is there, under the names it has. */
function entriesOf(given: unknown): [string, unknown][] {
  if (typeof given !== "object" || given === null) return [];
  try {
    const names = Object.keys(given).slice(0, valueLimits.valueKeys);
    return names.map((name): [string, unknown] => [name, readKey(given, name)]).filter(([, value]) => value != null);
  } catch {
    // A proxy that throws at being looked at has nothing for us.
    return [];
  }
}

function isPlain(value: unknown): value is number | boolean {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function fieldsOf(written: unknown): Record<string, unknown> | undefined {
  return typeof written === "object" && written !== null && !Array.isArray(written)
    ? (written as Record<string, unknown>)
    : undefined;
}
