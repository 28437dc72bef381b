import { dayMs, hourMs, quarterMs } from "../clock.ts";
import { addToSketch, type SketchSet } from "../sketches/quantile-sketch.ts";
import { addVisitor, emptyVisitorSketch } from "../sketches/visitor-count.ts";
import type {
  FiledCheckIn,
  FiledChunk,
  FiledCount,
  FiledEvent,
  FiledMeasure,
  FiledSessionCounts,
  LogLine,
} from "./filed.ts";
import { environmentOfLine } from "./log-filter.ts";
import { errorCount, errorPageCount, errorPages, logCount, logLabel, sawTag } from "./values/page-counts.ts";

/** Sums the counters of a batch, so that a thousand events of one issue are one update. */
export class BatchSums {
  readonly groups: Map<number, GroupSums> = new Map();
  readonly releases: Map<string, { project: number; name: string; firstAt: number; lastAt: number; events: number }> =
    new Map();
  /** Keyed by project, hour and route. */
  readonly sketches: Map<string, { project: number; hour: number; route: string; set: SketchSet }> = new Map();
  readonly releaseSketches: Map<string, { project: number; release: string; set: SketchSet }> = new Map();
  readonly counts: Map<
    string,
    { project: number; hour: number; name: string; route: string; label: string; n: number }
  > = new Map();
  readonly sessions: Map<string, SessionSums> = new Map();
  readonly traffic: Map<string, TrafficSums> = new Map();
  /** Visitors with an error, keyed by project and hour. */
  readonly affected: Map<string, { project: number; hour: number; registers: Uint8Array }> = new Map();
  readonly discards: Map<string, { project: number; hour: number; reason: string; category: string; n: number }> =
    new Map();
  readonly checkIns: FiledCheckIn[] = [];
  /** Keyed by project, release, and the id or file of the chunk. */
  readonly chunks: Map<string, ChunkSums> = new Map();
  events = 0;
  duplicates = 0;

  addEvent(event: FiledEvent, group: number): void {
    this.events++;
    const sums = entry(this.groups, group, () => new GroupSums(event));
    sums.add(event);
    const { at, route = "" } = event;
    this.addCount(event.project, { name: errorCount, route, label: event.level, at, n: 1 });
    const saw = event.tags.find(([key]) => key === sawTag)?.[1] ?? "";
    const hasErrorPage = errorPages.has(saw);
    if (hasErrorPage) this.addCount(event.project, { name: errorPageCount, route, label: saw, at, n: 1 });
    this.addTraffic(event.project, Math.floor(at / quarterMs), { errors: 1, errorPages: Number(hasErrorPage) });
    if (event.visitor !== undefined)
      addVisitor(this.affectedIn(event.project, Math.floor(at / hourMs)).registers, event.visitor);
    if (event.release !== undefined) {
      this.seeRelease(event.project, event.release, event.at, 1);
      for (const chunk of event.chunks) this.#addChunk(event, event.release, chunk);
    }
  }

  #addChunk({ project, eventId }: FiledEvent, release: string, { debugId, file, mapped }: FiledChunk): void {
    const counted = { mapped: Number(mapped), unmapped: Number(!mapped) };
    this.addChunkSums({ project, release, debugId, file, ...counted, lastEvent: eventId });
  }

  addChunkSums({ mapped, unmapped, ...chunk }: ChunkSums): void {
    const { project, release, debugId } = chunk;
    const sums = entry(this.chunks, JSON.stringify([project, release, debugId]), () => ({
      ...chunk,
      mapped: 0,
      unmapped: 0,
    }));
    sums.mapped += mapped;
    sums.unmapped += unmapped;
    if (unmapped > 0) sums.lastEvent = chunk.lastEvent;
  }

  seeRelease(project: number, name: string, at: number, events: number): void {
    const release = entry(this.releases, `${project} ${name}`, () => ({
      project,
      name,
      firstAt: at,
      lastAt: at,
      events: 0,
    }));
    release.firstAt = Math.min(release.firstAt, at);
    release.lastAt = Math.max(release.lastAt, at);
    release.events += events;
  }

  addMeasure(project: number, { route, measure, at, value, release }: FiledMeasure): void {
    const hour = Math.floor(at / hourMs);
    const ofRoute = entry(this.sketches, `${project} ${hour} ${route}`, () => ({
      project,
      hour,
      route,
      set: new Map(),
    }));
    addToSketch(
      entry(ofRoute.set, measure, () => new Map()),
      value,
    );
    if (release === undefined) return;
    const ofRelease = entry(this.releaseSketches, `${project} ${release}`, () => ({
      project,
      release,
      set: new Map(),
    }));
    addToSketch(
      entry(ofRelease.set, measure, () => new Map()),
      value,
    );
  }

  addCount(project: number, count: FiledCount): void {
    const { name, route, label } = count;
    const hour = Math.floor(count.at / hourMs);
    entry(this.counts, JSON.stringify([project, hour, name, route, label]), () => ({
      project,
      hour,
      name,
      route,
      label,
      n: 0,
    })).n += count.n;
  }

  /** By level and environment: the histogram of a day with a million lines reads a few rows. */
  addLogs(project: number, lines: readonly LogLine[]): void {
    for (const line of lines) {
      const label = logLabel(line.level, environmentOfLine(line));
      this.addCount(project, { name: logCount, route: "", label, at: line.at, n: 1 });
    }
  }

  addSessions({ startedAt, ...item }: Omit<FiledSessionCounts, "kind" | "rowId" | "receivedAt">): void {
    this.addSessionCounts({ ...item, hour: Math.floor(startedAt / hourMs) });
    const visits = { visits: item.started, failedVisits: item.errored };
    this.addTraffic(item.project, Math.floor(startedAt / quarterMs), visits);
    if (item.release !== undefined) this.seeRelease(item.project, item.release, startedAt, 0);
  }

  addSessionCounts(item: SessionSums): void {
    const { project, hour, release, environment } = item;
    const sums = entry(this.sessions, JSON.stringify([project, hour, release, environment]), () => ({
      project,
      hour,
      release,
      environment,
      started: 0,
      errored: 0,
      crashed: 0,
      abnormal: 0,
    }));
    sums.started += item.started;
    sums.errored += item.errored;
    sums.crashed += item.crashed;
    sums.abnormal += item.abnormal;
  }

  affectedIn(project: number, hour: number): { readonly registers: Uint8Array } {
    return entry(this.affected, `${project} ${hour}`, () => ({ project, hour, registers: emptyVisitorSketch() }));
  }

  addTraffic(project: number, quarter: number, added: Partial<Omit<TrafficSums, "project" | "quarter">>): void {
    // An update of a session that says nothing new.
    if (Object.values(added).every((n) => n === 0)) return;
    const sums = entry(this.traffic, `${project} ${quarter}`, () => ({ project, quarter, ...noTraffic }));
    sums.errors += added.errors ?? 0;
    sums.errorPages += added.errorPages ?? 0;
    sums.visits += added.visits ?? 0;
    sums.failedVisits += added.failedVisits ?? 0;
  }

  addDiscard(project: number, discard: { reason: string; category: string; at: number; n: number }): void {
    const { reason, category } = discard;
    const hour = Math.floor(discard.at / hourMs);
    entry(this.discards, JSON.stringify([project, hour, reason, category]), () => ({
      project,
      hour,
      reason,
      category,
      n: 0,
    })).n += discard.n;
  }
}

export interface ChunkSums {
  project: number;
  release: string;
  debugId: string | undefined;
  file: string;
  /** Events with and without a map. */
  mapped: number;
  unmapped: number;
  /** The last one without a map, if any. */
  lastEvent: string;
}

export interface SessionSums {
  project: number;
  hour: number;
  release: string | undefined;
  environment: string | undefined;
  started: number;
  errored: number;
  crashed: number;
  abnormal: number;
}

/** Counters of a project for each quarter of an hour. */
export interface TrafficSums {
  project: number;
  quarter: number;
  errors: number;
  /** Error pages that visitors saw. */
  errorPages: number;
  /** Sessions that began. */
  visits: number;
  /** Those of them that had an error, whenever it happened. */
  failedVisits: number;
}

const noTraffic = { errors: 0, errorPages: 0, visits: 0, failedVisits: 0 };

/** The fields of its newest event that a group and its issue show. */
export type ShownEvent = Pick<
  FiledEvent,
  "project" | "at" | "receivedAt" | "eventId" | "title" | "level" | "release" | "route" | "searchText" | "owner"
>;

/** Sums of a batch for one group. */
export class GroupSums {
  readonly project: number;
  events = 0;
  firstAt: number;
  last: ShownEvent;
  readonly hours: Map<
    string,
    { hour: number; environment: string | undefined; release: string | undefined; n: number }
  > = new Map();
  readonly days: Map<string, { day: number; environment: string | undefined; n: number }> = new Map();
  readonly visitors: Set<number> = new Set();
  /** Counts of the values of each tag. */
  readonly tags: Map<string, Map<string, number>> = new Map();
  readonly releases: Map<string | undefined, { firstAt: number; lastAt: number; n: number }> = new Map();
  /** Titles and routes of this batch, beside the text of the group's first event, and its frames. */
  readonly texts: Set<string> = new Set();
  readonly stacks: Set<string> = new Set();

  constructor(first: ShownEvent) {
    this.project = first.project;
    this.firstAt = first.at;
    this.last = first;
  }

  add(event: FiledEvent): void {
    const { at, environment, release } = event;
    this.events++;
    this.firstAt = Math.min(this.firstAt, at);
    if (at >= this.last.at) this.last = event;
    this.addHour({ hour: Math.floor(at / hourMs), environment, release }, 1);
    this.addDay({ day: Math.floor(at / dayMs), environment }, 1);
    if (event.visitor !== undefined) this.visitors.add(event.visitor);
    for (const [key, value] of event.tags) this.addTag(key, value, 1);
    this.addRelease(release, { firstAt: at, lastAt: at, n: 1 });
    if (this.texts.size < 20) this.texts.add(titleAndRoute(event));
    if (this.stacks.size < 20 && event.stackText !== "") this.stacks.add(event.stackText);
  }

  addHour(key: { hour: number; environment: string | undefined; release: string | undefined }, n: number): void {
    entry(this.hours, `${key.hour} ${key.environment} ${key.release}`, () => ({ ...key, n: 0 })).n += n;
  }

  addDay(key: { day: number; environment: string | undefined }, n: number): void {
    entry(this.days, `${key.day} ${key.environment}`, () => ({ ...key, n: 0 })).n += n;
  }

  addTag(key: string, value: string, n: number): void {
    const values = entry(this.tags, key, () => new Map());
    values.set(value, (values.get(value) ?? 0) + n);
  }

  addRelease(
    release: string | undefined,
    { firstAt, lastAt, n }: { firstAt: number; lastAt: number; n: number },
  ): void {
    const known = entry(this.releases, release, () => ({ firstAt, lastAt, n: 0 }));
    known.firstAt = Math.min(known.firstAt, firstAt);
    known.lastAt = Math.max(known.lastAt, lastAt);
    known.n += n;
  }
}

/** Replaces numbers, which differ with every event and would fill the index with the same words. */
export function titleAndRoute({ title, route }: Pick<FiledEvent, "title" | "route">): string {
  return `${title.text.replace(/\d+/g, "0")} ${route ?? ""}`;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
