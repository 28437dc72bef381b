import type { About, Attributes, Level, User } from "../report-types.ts";
import { valueLimits } from "../value-limits.ts";
import { readKey, writeValue } from "./write-value.ts";

/**
 * Readers for the arguments of `holdfast/report`. Applications may pass anything, and a bad tag must not lose the
 * error. None of these functions throws.
 */
export function readText(given: unknown): string {
  const written = writeValue(given, valueLimits);
  return (typeof written === "string" ? written : JSON.stringify(written)).slice(0, valueLimits.textLength);
}

export function readAbout(given: unknown): About {
  const { tags, extra } = Object.fromEntries(entriesOf(given));
  const about: About = {};
  if (tags !== undefined) about.tags = readTags(tags);
  if (extra !== undefined) about.extra = readGivenFields(extra);
  return about;
}

export function readGivenFields(given: unknown): Record<string, unknown> {
  const written = writeValue(given, valueLimits);
  return fieldsOf(written) ?? { value: written };
}

/** A plain text or number is the visitor's id. */
export function readUser(given: unknown): User | undefined {
  if (given === undefined || given === null) return undefined;
  const written = writeValue(given, valueLimits);
  return fieldsOf(written) ?? { id: readText(written) };
}

/** Receivers accept only strings, numbers and booleans. */
export function readGivenAttributes(given: unknown): Attributes {
  return Object.fromEntries(entriesOf(given).map(([name, value]) => [name, isPlain(value) ? value : readText(value)]));
}

const levels: readonly unknown[] = ["fatal", "error", "warning", "info", "debug"] satisfies Level[];

export function readGivenLevel(given: unknown): Level {
  return levels.includes(given) ? (given as Level) : "info";
}

function readTags(given: unknown): Record<string, string> {
  return Object.fromEntries(entriesOf(given).map(([name, value]) => [name, readText(value)]));
}

function entriesOf(given: unknown): [string, unknown][] {
  if (typeof given !== "object" || given === null) return [];
  try {
    const names = Object.keys(given).slice(0, valueLimits.valueKeys);
    return names.map((name): [string, unknown] => [name, readKey(given, name)]).filter(([, value]) => value != null);
  } catch {
    // A proxy whose traps throw cannot be read.
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
