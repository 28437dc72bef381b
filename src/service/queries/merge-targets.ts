import { readDigest, readEventId } from "#protocol";
import { readFilter } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import { currentIssue, similarTo } from "./issue.ts";
import type { QueryContext } from "./query-context.ts";

export interface MergeQuestion {
  project: number;
  /** Visible numbers of the issues that are to be merged. */
  numbers: readonly number[];
  /** A number, a link, a digest, or words of a title. Empty for what is likely. */
  typed: string;
}

export interface MergeAnswer {
  /** The existing ones of the issues. One that is merged already is the issue that has its events now. */
  chosen: readonly { number: number; issue: IssueRecord }[];
  /** Issues that they can be merged into. */
  targets: readonly IssueRecord[];
}

/** What a person reads before another word is quicker. */
const mostTargets = 12;

/** Finds issues to merge others into. */
export async function mergeTargets(
  { store, now }: QueryContext,
  { project, numbers, typed }: MergeQuestion,
): Promise<MergeAnswer> {
  const found = await Promise.all(
    numbers.map(async (number) => ({ number, issue: await currentIssue(store, project, { number }) })),
  );
  const chosen = found.flatMap(({ number, issue }) => (issue === undefined ? [] : [{ number, issue }]));
  const issues = [...new Map(chosen.map(({ issue }) => [issue.id, issue])).values()];
  const likely = await targetsFor({ store, now }, project, issues, typed.trim());
  // Several can be merged into one of them, one alone cannot.
  const targets = likely.filter(({ id }) => issues.length > 1 || id !== issues[0]?.id);
  return { chosen, targets: targets.slice(0, mostTargets) };
}

async function targetsFor(
  context: QueryContext,
  project: number,
  issues: readonly IssueRecord[],
  typed: string,
): Promise<readonly IssueRecord[]> {
  const { store } = context;
  const [first] = issues;
  if (typed === "") {
    const similar = first === undefined ? [] : await similarTo(store, first);
    const others = similar.filter(({ id }) => issues.every((issue) => issue.id !== id));
    return [...issues.toSorted((a, b) => b.events - a.events), ...others];
  }
  const meant = await issueMeant(context, project, typed);
  if (meant !== undefined) return [meant];
  const filter = readFilter(typed);
  // One more, because the issue itself may be among them.
  const page = await store.issues({ project, filter, sort: "last-seen", limit: mostTargets + 1 });
  return page.issues;
}

/**
 * Finds the one issue that a text means: `#12`, `12`, the address of an issue of this project, or the digest or id of
 * one of its events.
 */
export async function issueMeant(
  { store }: QueryContext,
  project: number,
  typed: string,
): Promise<IssueRecord | undefined> {
  const text = typed.trim();
  const number = /^#?(\d{1,9})$/.exec(text)?.[1] ?? numberInAddress(text, project);
  if (number !== undefined) return currentIssue(store, project, { number: Number(number) });
  const eventId = readEventId(text) ?? readDigest(text);
  const event = eventId === undefined ? undefined : await store.event(project, eventId);
  return event && currentIssue(store, project, { id: event.issue });
}

/** An issue of another project has the same numbers, but is not meant. */
function numberInAddress(text: string, project: number): string | undefined {
  const [, inProject, number] = /\/(\d{1,9})\/issues\/(\d{1,9})(?:[/?#].*)?$/.exec(text) ?? [];
  return Number(inProject) === project ? number : undefined;
}
