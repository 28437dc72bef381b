import type { ProtocolLimits } from "../limits.ts";
import { countOf, isObject, listOf, nonEmptyText, objectOf, present, timeOf } from "../loose-values.ts";

/**
 * What a client says about its own books, inside of a client report: which error pages it has shown, and what came
 * after them; how its submissions and navigations have ended, and which have not. It travels apart from the events, so
 * that a lost event is missing on one side only. Other services ignore the unknown key of a client report.
 */
export interface BalanceStatement {
  /** The process or document that says it. Random. */
  readonly source: string;
  /** Since when error reports wait for delivery with the source. Undefined if none waits. */
  readonly waitingSinceMs?: number;
  readonly pages: readonly StatedPage[];
  readonly tallies?: readonly StatedTally[];
}

/** Books in which each beginning must have an end. */
export const talliedBooks = ["submissions", "navigations"] as const;
export type TalliedBook = (typeof talliedBooks)[number];

/** All that a source has counted in one book of one hour, so that a later tally replaces an earlier one. */
export interface StatedTally {
  readonly book: TalliedBook;
  /** Since 1970, of the beginning. */
  readonly hour: number;
  /** How many have ended, by kind of end. */
  readonly ends: Readonly<Record<string, number>>;
  /** Those that have begun and have not ended. */
  readonly open: readonly OpenEntry[];
}

/** A submission or navigation without an end. */
export interface OpenEntry {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  /** The action of a submission, or where a navigation leads. */
  readonly name?: string;
  /** Of a submission, as its action gets it. */
  readonly key?: string;
  /** `kept`: a copy can be run later. `lost`: it will not end, because its process or document has lost it. */
  readonly state?: "kept" | "lost";
}

/** What a visitor did after an error: reached another page, or the same one by trying again. */
export type NextStep = "further" | "through";

/** An error page that was sent or shown. */
export interface StatedPage {
  readonly digest: string;
  readonly atMs: number;
  readonly route: string;
  readonly side: "server" | "browser";
  /** The first digest of a visitor who saw several in a row. */
  readonly chain?: string;
  readonly next?: NextStep;
  /** Why there is no event, if the source left it out itself. */
  readonly cause?: string;
}

/** More are sent in several statements. */
export const pagesPerStatement = 200;

/** Clients of Holdfast send one at a time, so that a statement is as small as an item must be. */
const talliesPerStatement = 4;
/** An hour with more has an outage, and the first ones name it. As an item, they have about 40 kB. */
export const openPerTally = 200;
/** Kinds of ends. There are seven in each book. */
const endsPerTally = 20;

/** Grows with everything that is added to a tally, so that of two the later one is known by it. */
export function changesIn({ ends, open }: StatedTally): number {
  const ended = Object.values(ends).reduce((sum, n) => sum + n, 0);
  return 2 * ended + open.reduce((sum, { state }) => sum + (state === "lost" ? 2 : 1), 0);
}

/** Returns undefined if the client report says nothing about its books. Unreadable pages are left out. */
export function readBalance(value: unknown, limits: ProtocolLimits): BalanceStatement | undefined {
  if (!isObject(value)) return undefined;
  const source = nonEmptyText(value.source, limits.shortText);
  if (source === undefined) return undefined;
  const pages = listOf(value.pages)
    .slice(0, pagesPerStatement)
    .flatMap((entry) => pageOf(entry, limits) ?? []);
  const tallies = listOf(value.tallies)
    .slice(0, talliesPerStatement)
    .flatMap((entry) => tallyOf(entry, limits) ?? []);
  const waitingSinceMs = timeOf(value.waiting_since);
  return present({ source, waitingSinceMs, pages, tallies: tallies.length === 0 ? undefined : tallies });
}

function tallyOf(entry: unknown, limits: ProtocolLimits): StatedTally | undefined {
  const { book, hour, ends, open } = objectOf(entry);
  const known = talliedBooks.find((one) => one === book);
  const hours = countOf(hour);
  if (known === undefined || hours === undefined) return undefined;
  const counts = Object.entries(objectOf(ends))
    .slice(0, endsPerTally)
    .flatMap(([kind, n]) => (/^[a-z-]{1,40}$/.test(kind) ? [[kind, countOf(n) ?? 0] as const] : []));
  return {
    book: known,
    hour: hours,
    ends: Object.fromEntries(counts),
    open: listOf(open)
      .slice(0, openPerTally)
      .flatMap((one) => readOpenEntry(one, limits) ?? []),
  };
}

export function readOpenEntry(entry: unknown, limits: ProtocolLimits): OpenEntry | undefined {
  const { id, at, route, name, key, state } = objectOf(entry);
  const atMs = timeOf(at);
  const named = nonEmptyText(id, limits.shortText);
  if (named === undefined || atMs === undefined) return undefined;
  return present({
    id: named,
    atMs,
    route: nonEmptyText(route, limits.shortText) ?? "",
    name: nonEmptyText(name, limits.shortText),
    key: nonEmptyText(key, limits.shortText),
    state: state === "kept" || state === "lost" ? (state as OpenEntry["state"]) : undefined,
  });
}

function pageOf(entry: unknown, limits: ProtocolLimits): StatedPage | undefined {
  const { digest, at, route, side, chain, next, cause } = objectOf(entry);
  const atMs = timeOf(at);
  if (!isDigest(digest) || atMs === undefined) return undefined;
  return present({
    digest,
    atMs,
    route: nonEmptyText(route, limits.shortText) ?? "",
    side: side === "server" ? ("server" as const) : ("browser" as const),
    chain: isDigest(chain) ? chain : undefined,
    next: next === "further" || next === "through" ? (next as NextStep) : undefined,
    cause: nonEmptyText(cause, limits.shortText),
  });
}

/** In the one spelling that pages show. */
function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/.test(value);
}

/** The wire form. */
export function writeBalance({ source, waitingSinceMs, pages, tallies }: BalanceStatement): object {
  return {
    source,
    ...(waitingSinceMs !== undefined && { waiting_since: waitingSinceMs / 1000 }),
    pages: pages.map(writeEntry),
    ...(tallies && { tallies: tallies.map(({ open, ...tally }) => ({ ...tally, open: open.map(writeEntry) })) }),
  };
}

/** The wire form of one page, or of one that has no end. */
export function writeEntry({ atMs, ...entry }: StatedPage | OpenEntry): object {
  return { ...entry, at: atMs / 1000 };
}
