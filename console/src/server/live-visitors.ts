import { consoleApi } from "holdfast/service";
import { shownRelease } from "../parts/release/release-name.ts";

/** A recent visitor, as a line. */
export interface LiveVisitor {
  /** Id in addresses. */
  id: string;
  name: string;
  views: number;
  errors: number;
  route: string | undefined;
  release: string | undefined;
  /** Last record, and its time. */
  last: string;
  at: number;
}

/** Verbs before the route. */
const words = {
  event: "met an error on",
  pageload: "loaded",
  navigation: "went to",
  request: "asked for",
  task: "ran a task on",
} as const;

/** Newest first. The store knows visitors only by a number; names are from their errors. */
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

/** Parses a visitor from an address. */
export function visitorNamed(text: string | null): number | undefined {
  // 52 bits have at most eleven digits.
  return text !== null && /^[0-9a-z]{1,11}$/.test(text) ? Number.parseInt(text, 36) : undefined;
}
