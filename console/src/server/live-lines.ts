import type { Cookies } from "holdfast/server";
import { consoleApi, type LiveRecord, readFilter } from "holdfast/service";
import { milliseconds } from "../parts/charts/numbers.ts";
import { visitorId, visitorNamed } from "./live-visitors.ts";
import { environmentIn } from "./own-choices.ts";

/** A record as a line. */
export interface LiveLine {
  id: string;
  at: number;
  kind: string;
  fails: boolean;
  text: string;
  route: string | undefined;
  /** A page view: its route says what it is, and its text how long it took. */
  isView: boolean;
  /** The visitor, if the record has one. */
  who: string | undefined;
  /** Path below the project. */
  leads: string | undefined;
}

/** Query from the address: a filter, one visitor, and the last seen row. */
export interface LiveWish {
  filter: string;
  visitor: number | undefined;
  after: number | undefined;
  environment: string | undefined;
}

export interface LiveLines {
  /** Newest first. */
  lines: LiveLine[];
  /** Position for the next query. */
  after: number | undefined;
}

export function wishIn(search: URLSearchParams, cookies: Pick<Cookies, "get">): LiveWish {
  return {
    filter: (search.get("q") ?? "").slice(0, 1_000),
    visitor: visitorNamed(search.get("visitor")),
    after: rowNamed(search.get("after")),
    environment: environmentIn(search, cookies),
  };
}

/** Returns the records after a row, or the newest, as far as they match the filter. */
export async function liveLines(
  project: number,
  { filter, visitor, after, environment }: LiveWish,
): Promise<LiveLines> {
  const answer = await consoleApi().live({ project, visitor, after });
  const fits = fitting(filter);
  const records = answer.records.filter((one) => environment === undefined || environmentOf(one) === environment);
  const lines = records.map(lineOf).filter(fits).reverse();
  return { lines, after: answer.after };
}

function environmentOf(record: LiveRecord): unknown {
  if (record.kind !== "log") return record.environment;
  const { attributes } = record.line;
  return attributes["sentry.environment"] ?? attributes["deployment.environment.name"];
}

/** Parses a row number from an address. */
export function rowNamed(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function lineOf(record: LiveRecord, place: number): LiveLine {
  const { rowId, at } = record;
  // The lines of one block of logs share its row.
  const id = `${rowId}.${record.kind}.${place}`;
  const who = record.kind === "log" || record.visitor === undefined ? undefined : visitorId(record.visitor);
  const line = { id, at, who, isView: false };
  switch (record.kind) {
    case "event": {
      const { level, title, route } = record;
      const fails = level === "error" || level === "fatal";
      return { ...line, kind: level, fails, text: title, route, leads: `events/${record.eventId}` };
    }
    case "segment": {
      const { segment, durationMs, status, route } = record;
      const fails = status !== "ok" && status !== "unset";
      const text = `${milliseconds(durationMs)}${fails ? ` ${status}` : ""}`;
      const isView = route !== undefined;
      return { ...line, kind: segment, fails, text, route, isView, leads: `traces/${record.traceId}` };
    }
    case "log": {
      const { level, body, traceId } = record.line;
      const fails = level === "error" || level === "fatal";
      return {
        ...line,
        kind: `log ${level}`,
        fails,
        text: body,
        route: undefined,
        leads: traceId && `traces/${traceId}`,
      };
    }
  }
}

/** The filter language of the issue list, as far as a line has the fields: words, `route:`, `level:`, `kind:`. */
function fitting(filter: string): (line: LiveLine) => boolean {
  const { terms, words } = readFilter(filter);
  return (line) =>
    words.every(({ text, not }) => includes(`${line.kind} ${line.text} ${line.route ?? ""}`, text) !== not) &&
    terms.every(({ field, key, value, not }) => {
      if (field === "route") return isLike(line.route ?? "", value) !== not;
      if (field === "level" || key === "kind") return includes(line.kind, value) !== not;
      return includes(line.text, value) !== not;
    });
}

/** Describes the parts of a filter that are meaningless for lines. */
export function liveFilterProblems(filter: string): readonly string[] {
  const { states, terms } = readFilter(filter);
  const unknown = terms
    .filter(({ field, key }) => field !== "route" && field !== "level" && key !== "kind")
    .map(({ field, key }) => key ?? field);
  const known = "Live knows words, route:, level: and kind:.";
  return [
    ...(states.length > 0 ? [`“is:” means nothing here. ${known}`] : []),
    ...[...new Set(unknown)].map((name) => `“${name}:” is searched for as a word here. ${known}`),
  ];
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** `*` matches any characters. */
function isLike(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const lower = text.toLowerCase();
  if (rest.length === 0) return lower === first;
  if (!lower.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const found = index === rest.length - 1 ? lower.length - piece.length : lower.indexOf(piece, at);
    if (found < at || !lower.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return true;
}
