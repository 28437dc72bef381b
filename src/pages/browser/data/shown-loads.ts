import type { isAffected } from "../../affected.ts";
import { type AnswerLine, keysMarker } from "../../page-data.ts";
import type { DataAnswer, PageAnswer, ShownLoad } from "./page-answer.ts";
import type { Freshness } from "./page-freshness.ts";

/**
 * What a response may leave out if it has not changed: the data of layouts that are on screen, in a refresh of the page
 * (`unchanged`) its own data too, or nothing.
 */
export type OmittedData = "layouts" | "unchanged" | "nothing";

/** A page on screen whose data the server may leave out of a response. */
export interface KnownPage {
  /** The keys of its loads, as a part of the address. */
  path: string;
  /** Reads a response line, in which what the server has left out is put in place before. */
  complete(text: string, read: (text: string) => DataAnswer | undefined): DataAnswer | undefined;
}

/** What a page's data depends on, by load. Read when it is needed. */
function loadsOf(page: PageAnswer): readonly (ShownLoad | undefined)[] {
  page.loads ??= (lineOf(page.text).keys ?? []).map((one) => {
    const [key, ...depends] = one ?? [];
    return key === undefined ? undefined : { key, depends, asOf: -1 };
  });
  return page.loads;
}

export interface KnownNow {
  freshness: Freshness;
  /** Of the visitor for whom the server last responded. */
  tag: string;
  now: number;
  without: OmittedData | undefined;
}

/** The loads of the page on screen whose data is current, not too old, and of this visitor. */
export function knownPage(
  page: PageAnswer,
  { freshness: { changed, asOf: shownAsOf }, tag, now, without = "layouts" }: KnownNow,
): KnownPage | undefined {
  // A page that is only old is loaded again as a whole.
  const isAll = without === "nothing" || (without === "unchanged" && shownAsOf < 0);
  if (isAll || page.preamble.tag !== tag) return undefined;
  const isCurrent = ({ asOf, sentAt = page.sentAt }: ShownLoad): boolean =>
    Math.max(asOf, page.asOf ?? 0) >= changed && now - sentAt < page.preamble.expires;
  const keys = loadsOf(page)
    .slice(0, without === "layouts" ? page.view.folders.length : page.view.data.length)
    .map((load) => (load && isCurrent(load) ? load.key : ""));
  if (!keys.some((key) => key)) return undefined;
  return { path: keysMarker + keys.join("~"), complete: (text, read) => complete(page, text, read) };
}

/** Loads that do not depend on what has changed are as current as before. `since`: the clock of the change before. */
export function spareLoads(
  page: PageAnswer,
  { names, since, clock }: { names: readonly string[]; since: number; clock: number },
  affected: typeof isAffected,
): void {
  for (const load of loadsOf(page)) {
    const isSpared = load && Math.max(load.asOf, page.asOf ?? 0) >= since && !affected(load.depends, names);
    if (isSpared) load.asOf = clock;
  }
}

/** Every page in this browser is complete: none refers to another one that may be gone. */
function complete(
  before: PageAnswer,
  text: string,
  read: (text: string) => DataAnswer | undefined,
): DataAnswer | undefined {
  const { same, ...line } = lineOf(text);
  if (!same) return read(text);
  const known = lineOf(before.text).data ?? [];
  if (!line.data || same.some((index) => known[index] === undefined)) return undefined;
  const data = line.data.map((value, index) => (same.includes(index) ? known[index] : value));
  const answer = read(JSON.stringify({ ...line, data }));
  if (answer?.kind !== "page") return undefined;
  const loads = loadsOf(before);
  answer.loads = loadsOf(answer).map((load, index) =>
    load && same.includes(index) ? { ...load, sentAt: loads[index]?.sentAt ?? before.sentAt } : load,
  );
  // The same objects, so that components see that nothing has changed.
  const shown = answer.view.data as unknown[];
  for (const index of same) shown[index] = before.view.data[index];
  return answer;
}

type Line = Partial<Extract<AnswerLine, { kind: "page" }>>;

/** A line that this browser has read before, or is about to read. */
function lineOf(text: string): Line {
  return JSON.parse(text) as Line;
}
