import { digestOf, readLevel } from "#protocol";
import { titleOfEvent } from "../grouping/title.ts";
import type { EventRecord, FeedbackRecord, SegmentRecord } from "../stores/records.ts";
import { deviceOf } from "./device.ts";
import { stepOfBreadcrumb, type VisitorStep } from "./visitor-path.ts";

/** What a visitor did without a long pause. */
export interface PastVisit {
  from: number;
  to: number;
  releases: readonly string[];
  devices: readonly string[];
  /** In order of time. */
  pages: readonly VisitPage[];
  steps: readonly VisitStep[];
  failures: number;
}

/** A page that was open for some time. */
export interface VisitPage {
  route: string;
  from: number;
  to: number;
  traceId: string;
  /** Times of the failures while it was open. */
  failures: readonly number[];
}

/** A step, with what a list of visits shows beside it. */
export interface VisitStep extends Omit<VisitorStep, "kind"> {
  kind: VisitorStep["kind"] | "feedback";
  digest?: string;
  /** Internal id of the issue. */
  issue?: number;
  durationMs?: number;
  /** How often it happened in a row. */
  times?: number;
}

export interface VisitorRecords {
  events: readonly EventRecord[];
  segments: readonly SegmentRecord[];
  feedback: readonly FeedbackRecord[];
}

/** A longer pause ends a visit. */
const pauseMs = 30 * 60_000;
/** More is not read. The newest are shown. */
const mostSteps = 200;

type Dated =
  | { at: number; until: number; event: EventRecord }
  | { at: number; until: number; segment: SegmentRecord }
  | { at: number; until: number; feedback: FeedbackRecord };

/** Divides records into visits, the newest first. */
export function visitsOf(records: VisitorRecords): readonly PastVisit[] {
  const visits: Dated[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const record of datedOf(records)) {
    const current = visits.at(-1);
    if (current === undefined || record.at - until > pauseMs) visits.push([record]);
    else current.push(record);
    until = Math.max(until, record.until);
  }
  return visits.map(visitOf).reverse();
}

function datedOf({ events, segments, feedback }: VisitorRecords): readonly Dated[] {
  const pages = segments.filter(isPage);
  const traces = new Set(pages.map(({ traceId }) => traceId));
  // A server's part of a page is in the trace of the page. Prefetches and other tasks are not what a visitor does.
  const own = segments.filter(({ kind, traceId }) => kind === "request" && !traces.has(traceId));
  return [
    ...events.map((event) => ({ at: event.at, until: event.at, event })),
    ...[...pages, ...own].map((segment) => ({ at: segment.at, until: segment.at + segment.durationMs, segment })),
    ...feedback.map((each) => ({ at: each.at, until: each.at, feedback: each })),
  ].sort((a, b) => a.at - b.at);
}

function isPage({ kind }: SegmentRecord): boolean {
  return kind === "pageload" || kind === "navigation";
}

function visitOf(records: readonly Dated[]): PastVisit {
  const events = records.flatMap((record) => ("event" in record ? [record.event] : []));
  const segments = records.flatMap((record) => ("segment" in record ? [record.segment] : []));
  const from = records[0]?.at ?? 0;
  const to = Math.max(...records.map(({ until }) => until));
  const failures = events.filter(isFailure);
  const steps = [...records.map(stepOf), ...clicksOf(events, { from, to }, !segments.some(isPage))];
  return {
    from,
    to,
    releases: distinct([...events, ...segments].map(({ release }) => release)),
    devices: distinct(events.map(({ body }) => (body.kind === "whole" ? deviceOf(body.event) : undefined))),
    pages: pagesOf(segments.filter(isPage), failures, to),
    steps: folded(steps.sort((a, b) => a.at - b.at)).slice(-mostSteps),
    failures: failures.length,
  };
}

function isFailure({ level }: EventRecord): boolean {
  return level === "error" || level === "fatal";
}

function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== undefined);
}

function pagesOf(pages: readonly SegmentRecord[], failures: readonly EventRecord[], end: number): VisitPage[] {
  return pages.map(({ route, at, traceId }, n) => {
    const isLast = n === pages.length - 1;
    const to = pages[n + 1]?.at ?? end;
    // Failures before the first page belong to it: the page of a failing load begins with its server.
    const isHere = (time: number): boolean => (n === 0 || time >= at) && (isLast || time < to);
    return { route, from: at, to, traceId, failures: failures.map((event) => event.at).filter(isHere) };
  });
}

function stepOf(record: Dated): VisitStep {
  if ("event" in record) return stepOfEvent(record.event);
  if ("feedback" in record) return { at: record.at, kind: "feedback", text: record.feedback.message };
  const { at, route, kind, traceId, durationMs, status } = record.segment;
  const fails = status !== "ok" && status !== "unset";
  const shown = kind === "pageload" ? "page" : kind === "navigation" ? "navigation" : "request";
  return { at, kind: shown, text: route, traceId, durationMs, ...(fails && { fails }) };
}

/** An event without its body is called by its issue, by the caller. */
function stepOfEvent(event: EventRecord): VisitStep {
  const { at, eventId, issue, level, body } = event;
  return {
    at,
    kind: readLevel(level) ?? "error",
    text: body.kind === "whole" ? titleOfEvent(body.event) : "",
    eventId,
    issue,
    digest: digestOf(eventId),
    ...(isFailure(event) && { fails: true }),
  };
}

/** Clicks and the application's own steps, from breadcrumbs. Each is in every later event of the page. */
function clicksOf(events: readonly EventRecord[], { from, to }: Pick<PastVisit, "from" | "to">, withPages: boolean) {
  const found = new Map<string, VisitStep>();
  for (const { at: eventAt, body } of events) {
    if (body.kind !== "whole") continue;
    const correction = eventAt - (body.event.timestampMs ?? eventAt);
    for (const crumb of body.event.breadcrumbs) {
      if (crumb.timestampMs === undefined) continue;
      const step = stepOfBreadcrumb(crumb, eventAt, correction);
      const isWanted = step.kind === "click" || step.kind === "note" || (withPages && step.kind === "navigation");
      const key = `${crumb.timestampMs} ${step.text}`;
      if (isWanted && step.at >= from - pauseMs && step.at <= to && !found.has(key)) found.set(key, step);
    }
  }
  return [...found.values()];
}

/** Equal steps in a row become one. Failures do not: each has its own digest. */
function folded(steps: readonly VisitStep[]): readonly VisitStep[] {
  const found: VisitStep[] = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (last !== undefined && step.eventId === undefined && last.kind === step.kind && last.text === step.text)
      last.times = (last.times ?? 1) + 1;
    else found.push({ ...step });
  }
  return found;
}
