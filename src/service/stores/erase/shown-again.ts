import type { ReportedEvent } from "#protocol";
import { type Title, titleOf } from "../../grouping/title.ts";
import { titleAndRoute } from "../batch-sums.ts";
import { stacksPerGroup, textsPerGroup } from "../counter-limits.ts";
import { collected } from "../flood.ts";
import { searchTextOf, stackTextOf } from "../values/event-texts.ts";

/** An event that remains in a group, newest first. */
export interface RemainingEvent<Row> {
  readonly row: Row;
  readonly event: ReportedEvent;
  readonly route: string | undefined;
}

export interface ShownAgain<Row> {
  readonly row: Row;
  readonly event: ReportedEvent;
  readonly title: Title;
  /** For the search. */
  readonly texts: readonly string[];
}

/** What a group shows after an erasure, of its newest remaining events. Undefined if none of them has a body. */
export function shownAgain<Row>(remaining: readonly RemainingEvent<Row>[]): ShownAgain<Row> | undefined {
  const [newest, ...others] = remaining;
  if (newest === undefined) return undefined;
  const titles = others.map(({ event, route }) => titleAndRoute({ title: titleOf(event), route }));
  const texts = new Set([searchTextOf(newest.event, newest.route), ...titles.slice(0, textsPerGroup - 1)]);
  for (const { event } of remaining) if (texts.size < stacksPerGroup) texts.add(stackTextOf(event));
  texts.delete("");
  return { row: newest.row, event: newest.event, title: titleOf(newest.event), texts: [...texts] };
}

/** The issue for new errors beyond the limit keeps its own title. */
export function titleFor(rule: string | undefined, title: Title): Title {
  const [{ reason }] = collected.grouping;
  return rule === reason.rule ? collected.title : title;
}
