import type { About, Attributes, Level, User } from "../report-types.ts";
import { valueLimits } from "../value-limits.ts";
import { readKey, writeValue } from "./write-value.ts";

/**
 * Readers for the arguments of `holdfast/report`. Applications may pass anything, and a bad tag must not lose the
 * error. None of these functions throws.
 */
export function readText(input: unknown): string {
  const written = writeValue(input, valueLimits);
  return (typeof written === "string" ? written : JSON.stringify(written)).slice(0, valueLimits.textLength);
}

export function readAbout(input: unknown): About {
  const { tags, extra } = Object.fromEntries(entriesOf(input));
  const about: About = {};
  if (tags !== undefined) about.tags = readTags(tags);
  if (extra !== undefined) about.extra = readFields(extra);
  return about;
}

export function readFields(input: unknown): Record<string, unknown> {
  const written = writeValue(input, valueLimits);
  return fieldsOf(written) ?? { value: written };
}

/** A plain text or number is the visitor's id. */
export function readUser(input: unknown): User | undefined {
  if (input === undefined || input === null) return undefined;
  const written = writeValue(input, valueLimits);
  return fieldsOf(written) ?? { id: readText(written) };
}

/** Receivers accept only strings, numbers and booleans. */
export function readGivenAttributes(input: unknown): Attributes {
  return Object.fromEntries(entriesOf(input).map(([name, value]) => [name, isPlain(value) ? value : readText(value)]));
}

const levels: readonly unknown[] = ["fatal", "error", "warning", "info", "debug"] satisfies Level[];

export function readGivenLevel(input: unknown): Level {
  return levels.includes(input) ? (input as Level) : "info";
}

function readTags(input: unknown): Record<string, string> {
  return Object.fromEntries(entriesOf(input).map(([name, value]) => [name, readText(value)]));
}

function entriesOf(input: unknown): [string, unknown][] {
  if (typeof input !== "object" || input === null) return [];
  try {
    const names = Object.keys(input).slice(0, valueLimits.valueKeys);
    return names.map((name): [string, unknown] => [name, readKey(input, name)]).filter(([, value]) => value != null);
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
