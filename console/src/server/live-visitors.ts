import { consoleApi } from "holdfast/service";
import { many } from "../parts/charts/numbers.ts";
import { shownRelease } from "../parts/release/release-name.ts";

/** A recent visitor, as a line. */
export interface LiveVisitor {
  /** Id in addresses. */
  id: string;
  name: string;
  /** The last thing they did, and its time. */
  last: string;
  at: number;
  /** Errors that they met. Empty without any. */
  trouble: string;
  /** Views and release. */
  rest: string;
}

/** What somebody did, before its route, and without one. */
const words = {
  error: ["met an error on", "met an error"],
  warning: ["reported a warning on", "reported a warning"],
  message: ["reported a message on", "reported a message"],
  pageload: ["loaded", "loaded a page"],
  navigation: ["went to", "went to a page"],
  request: ["asked for", "sent a request"],
  task: ["ran a task on", "ran a task"],
} as const;

/** Newest first. The store knows visitors only by a number; names are from their errors. */
export async function liveVisitors(project: number): Promise<LiveVisitor[]> {
  const visitors = await consoleApi().visitors(project);
  return visitors.map(({ visitor, name, views, errors, route, release, last }) => {
    const id = visitorId(visitor);
    return {
      id,
      name: visitorName(name, id),
      last: lastDone(last, route),
      at: last.at,
      trouble: errors > 0 ? `▲ ${many(errors, "error")}` : "",
      rest: many(views, "view") + (release ? ` · ${shownRelease(release)}` : ""),
    };
  });
}

type LastRecord = Awaited<ReturnType<ReturnType<typeof consoleApi>["visitors"]>>[number]["last"];

function lastDone({ kind, level }: LastRecord, route: string | undefined): string {
  const [before, alone] = words[kind === "event" ? eventNamed(level) : kind];
  return route ? `${before} ${route}` : alone;
}

/** Not every event is an error. */
function eventNamed(level: LastRecord["level"]): "error" | "warning" | "message" {
  if (level === "warning") return level;
  return level === "info" || level === "debug" ? "message" : "error";
}

/** Also one who is not among the recent ones. */
export async function namedVisitor(project: number, visitor: number): Promise<NamedVisitor> {
  return (await namedVisitors(project, [visitor]))(visitor);
}

/** Reads the names of all of them at once. */
export async function namedVisitors(
  project: number,
  visitors: readonly number[],
): Promise<(visitor: number) => NamedVisitor> {
  const names = await consoleApi().visitorNames(project, visitors);
  return (visitor) => {
    const id = visitorId(visitor);
    return { id, name: visitorName(names.get(visitor), id) };
  };
}

interface NamedVisitor {
  id: string;
  name: string;
}

/** Reports name visitors; where they do not, a part of the id tells them apart. */
export function visitorName(name: string | undefined, id: string): string {
  return name?.slice(0, 100) ?? `Visitor ${id.slice(-5)}`;
}

export function visitorId(visitor: number): string {
  return visitor.toString(36);
}

/** Parses a visitor from an address. */
export function visitorNamed(text: string | null): number | undefined {
  // 52 bits have at most eleven digits.
  return text !== null && /^[0-9a-z]{1,11}$/.test(text) ? Number.parseInt(text, 36) : undefined;
}
