import { isObject, type JsonObject } from "#protocol";
import type { Spike } from "./spike-rules.ts";

/** What is known about the use of a key. */
export interface KeyFigures {
  /** Undefined for a key that was never used. */
  readonly lastUsedAt: number | undefined;
  /** Items and requests that were refused because of the key: disabled, over its limit, or from a foreign origin. */
  readonly refused: number;
}

/** What a filter has dropped since it was made. */
export interface FilterFigures {
  readonly dropped: number;
  readonly lastAt: number | undefined;
  /** The last report that it dropped, in one line, for a day. */
  readonly example: string | undefined;
}

export interface FilterChange {
  readonly dropped: number;
  readonly example: { readonly at: number; readonly text: string };
}

/** What has happened since the figures were last written. */
export interface IntakeChanges {
  readonly keys: ReadonlyMap<string, { readonly usedAt: number | undefined; readonly refused: number }>;
  readonly filters: ReadonlyMap<string, FilterChange>;
  /** By project. */
  readonly spikes: ReadonlyMap<number, Spike>;
}

/** Keys and filters that a project still has. Figures of others are left out. */
export interface KnownRules {
  hasKey(publicKey: string): boolean;
  hasFilter(id: string): boolean;
  hasProject(id: number): boolean;
}

/** An example shows an owner that a filter drops what it should. It is a part of a report that was not wanted. */
export const exampleMs = 86_400_000;

export function keyFiguresIn(document: unknown, publicKey: string): KeyFigures {
  const { lastUsedAt, refused } = entryIn(document, "keys", publicKey);
  return { lastUsedAt: numberOf(lastUsedAt), refused: numberOf(refused) ?? 0 };
}

export function filterFiguresIn(document: unknown, id: string, now: number): FilterFigures {
  const { dropped, lastAt, example } = entryIn(document, "filters", id);
  const isFresh = now - (numberOf(lastAt) ?? 0) < exampleMs;
  return {
    dropped: numberOf(dropped) ?? 0,
    lastAt: numberOf(lastAt),
    example: isFresh && typeof example === "string" ? example : undefined,
  };
}

/** The last spike of a project. */
export function spikeIn(document: unknown, project: number): Spike | undefined {
  const { since, lastAt, dropped, perMinute, usual } = entryIn(document, "spikes", String(project));
  const [began, last] = [numberOf(since), numberOf(lastAt)];
  if (began === undefined || last === undefined) return undefined;
  const [n = 0, worst = 0, before = 0] = [numberOf(dropped), numberOf(perMinute), numberOf(usual)];
  return { since: began, lastAt: last, dropped: n, perMinute: worst, usual: before };
}

/** Adds changes to a document of figures, and removes old examples. */
export function addToFigures(document: unknown, changes: IntakeChanges, known: KnownRules, now: number): object {
  const before = isObject(document) ? document : {};
  const keys = namesOf(before.keys, changes.keys).filter((key) => known.hasKey(key));
  const filters = namesOf(before.filters, changes.filters).filter((id) => known.hasFilter(id));
  const spikes = namesOf(before.spikes, new Map([...changes.spikes].map(([id, spike]) => [String(id), spike])))
    .filter((id) => known.hasProject(Number(id)))
    .map((id) => [id, changes.spikes.get(Number(id)) ?? spikeIn(before, Number(id))]);
  return {
    ...before,
    spikes: Object.fromEntries(spikes),
    keys: Object.fromEntries(keys.map((key) => [key, withKeyChange(keyFiguresIn(before, key), changes.keys.get(key))])),
    filters: Object.fromEntries(
      filters.map((id) => [id, withFilterChange(filterFiguresIn(before, id, now), changes.filters.get(id))]),
    ),
  };
}

function withKeyChange(
  { lastUsedAt = 0, refused }: KeyFigures,
  change: { usedAt: number | undefined; refused: number } | undefined,
) {
  const used = Math.max(lastUsedAt, change?.usedAt ?? 0);
  return { ...(used > 0 && { lastUsedAt: used }), refused: refused + (change?.refused ?? 0) };
}

function withFilterChange(before: FilterFigures, change: FilterChange | undefined): JsonObject {
  const lastAt = change?.example.at ?? before.lastAt;
  const example = change?.example.text ?? before.example;
  return {
    dropped: before.dropped + (change?.dropped ?? 0),
    ...(lastAt !== undefined && { lastAt }),
    ...(example !== undefined && { example }),
  };
}

function namesOf(before: unknown, changes: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...Object.keys(isObject(before) ? before : {}), ...changes.keys()])];
}

function entryIn(document: unknown, kind: "keys" | "filters" | "spikes", name: string): JsonObject {
  const entries = isObject(document) ? document[kind] : undefined;
  const entry = isObject(entries) ? entries[name] : undefined;
  return isObject(entry) ? entry : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
