import { type Breadcrumb, type EventLevel, readLevel } from "#protocol";
import type { EventRecord, LiveRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";

/** A step of a visitor before an error. */
export interface VisitorStep {
  at: number;
  /** Kind of the step. For an event, its level. */
  kind: "page" | "navigation" | "request" | "log" | "click" | "note" | EventLevel;
  text: string;
  /** Whether it failed. */
  fails?: boolean;
  /** Trace for details. */
  traceId?: string;
  eventId?: string;
}

// Typical duration of a visit.
const beforeMs = 30 * 60_000;
const mostSteps = 200;

/**
 * Merges breadcrumbs of the event, the visitor's other pages and events, and the logs of the trace, on one clock,
 * oldest first. Nothing later than the event is included; the event itself is last.
 */
export async function visitorPath(store: StoreReader, event: EventRecord): Promise<readonly VisitorStep[]> {
  const steps: VisitorStep[] = [];
  if (event.body.kind === "whole") {
    // The event's time was corrected when it was filed. Breadcrumbs need the same correction.
    const correction = event.at - (event.body.event.timestampMs ?? event.at);
    steps.push(...event.body.event.breadcrumbs.map((crumb) => stepOfBreadcrumb(crumb, event.at, correction)));
  }
  if (event.visitor !== undefined) {
    const { project, visitor, at: to } = event;
    const trail = await store.trail({ project, visitor, from: to - beforeMs, to });
    steps.push(...trail.map(stepOfRecord));
  }
  if (event.traceId !== undefined) {
    const { logs } = await store.trace(event.project, event.traceId);
    for (const line of logs)
      steps.push({ at: line.at, kind: "log", text: `${line.level} ${line.body}`, ...failing(line.level) });
  }
  const before = steps.filter(({ at, eventId }) => at <= event.at && eventId !== event.eventId);
  const { at, level, eventId } = event;
  const itself: VisitorStep = { at, kind: levelOf(level), text: "this event", eventId, ...failing(level) };
  return [...before.sort((a, b) => a.at - b.at).slice(1 - mostSteps), itself];
}

/** The store uses the protocol's names. */
function levelOf(level: string): EventLevel {
  return readLevel(level) ?? "error";
}

function failing(level: string | undefined): { fails: true } | undefined {
  return level === "error" || level === "fatal" ? { fails: true } : undefined;
}

/**
 * Clients of every language use their own names. A step with too little data for its kind becomes a note with all its
 * data.
 */
export function stepOfBreadcrumb(crumb: Breadcrumb, fallback: number, correction: number): VisitorStep {
  const { category = "", type, message, data } = crumb;
  const at = crumb.timestampMs === undefined ? fallback : crumb.timestampMs + correction;
  if (category === "navigation" && textOf(data?.to) !== "")
    return { at, kind: "navigation", text: `${textOf(data?.from)} → ${textOf(data?.to)}` };
  if ((type === "http" || /^(?:fetch|xhr|http)$/.test(category)) && textOf(data?.url) !== "") {
    return {
      at,
      kind: "request",
      text: [data?.method, data?.url, data?.status_code].map(textOf).filter(Boolean).join(" "),
    };
  }
  const touched = /^ui\.(click|tap|touch|input|press|swipe|scroll)/.exec(category)?.[1];
  if (touched !== undefined) return { at, kind: "click", text: `${touched} ${message ?? textOf(data?.["view.id"])}` };
  if (category === "console") return { at, kind: "log", text: message ?? "", ...failing(crumb.level) };
  return {
    at,
    kind: "note",
    ...failing(crumb.level),
    text: [category || type, message ?? (data ? JSON.stringify(data) : "")].filter(Boolean).join(": "),
  };
}

function stepOfRecord(record: LiveRecord): VisitorStep {
  switch (record.kind) {
    case "event":
      return {
        at: record.at,
        kind: levelOf(record.level),
        text: record.title,
        eventId: record.eventId,
        ...failing(record.level),
      };
    case "segment": {
      const kind = record.segment === "pageload" ? "page" : record.segment === "navigation" ? "navigation" : "request";
      return {
        at: record.at,
        kind,
        text: `${record.route} (${Math.round(record.durationMs)} ms)`,
        traceId: record.traceId,
      };
    }
    case "log":
      return { at: record.at, kind: "log", text: record.line.body, ...failing(record.line.level) };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
