import { consoleApi } from "holdfast/service";
import { shownRelease } from "../parts/release/release-name.ts";

/** Somebody who was here lately, as a line. */
export interface LiveVisitor {
  /** Stands in addresses. */
  id: string;
  name: string;
  views: number;
  errors: number;
  route: string | undefined;
  release: string | undefined;
  /** What came last, and when. */
  last: string;
  at: number;
}

/** What somebody did; the route follows. */
const words = {
  event: "met an error on",
  pageload: "loaded",
  navigation: "went to",
  request: "asked for",
  task: "ran a task on",
} as const;

/** Newest first. People are known to the store by a number alone; their names come from their errors. */
export async function liveVisitors(project: number): Promise<LiveVisitor[]> {
  const visitors = await consoleApi().visitors(project);
  return visitors.map(({ visitor, name, views, errors, route, release, last }) => {
    const id = visitorId(visitor);
    return {
      id,
      name: name?.slice(0, 100) ?? `Visitor ${id.slice(-5)}`,
      views,
      errors,
      route,
      release: release && shownRelease(release),
      last: words[last.kind],
      at: last.at,
    };
  });
}

export function visitorId(visitor: number): string {
  return visitor.toString(36);
}

/** A visitor as an address names one. */
export function visitorNamed(text: string | null): number | undefined {
  // 52 bits are at most eleven digits.
  return text !== null && /^[0-9a-z]{1,11}$/.test(text) ? Number.parseInt(text, 36) : undefined;
}
