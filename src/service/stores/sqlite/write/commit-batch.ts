import { BatchSums } from "../../batch-sums.ts";
import type { BodyDamping } from "../../bodies/body-damping.ts";
import type { CommitSummary, FiledEvent, FiledItem, FiledSession, FiledSpans, FilingBatch } from "../../filed.ts";
import type { StoreLimits } from "../../limits.ts";
import { StoreUnavailable } from "../../store.ts";
import { bytesOf } from "../../values/row-values.ts";
import { isAboutTheDisk } from "../database.ts";
import type { GroupIndex } from "../group-index.ts";
import type { StoreFiles } from "../store-files.ts";
import type { KnownEvent } from "../week/week-file.ts";
import { writeFeedback, writeSums } from "./write-sums.ts";

export interface BatchDeps {
  files: StoreFiles;
  groups: GroupIndex;
  damping: BodyDamping;
  limits: StoreLimits;
}

/**
 * Files a batch. The weeks are committed first and the meta file last: after a crash in between, the same items arrive
 * again, find their own rows by their row ids, and only the counters are still due. An item that finds another row with
 * its event id is a second delivery and changes nothing.
 */
export function commitBatch(filing: BatchDeps, batch: FilingBatch): CommitSummary {
  const { files, groups } = filing;
  const sums = new BatchSums();
  try {
    files.meta.begin();
    const applied = appliedPosition(files);
    const arrivals = new Arrivals(files);
    for (const item of batch.items) if (item.rowId >= applied) fileItem(filing, item, sums, arrivals);
    const regressedIssues = writeSums(files, sums, filing.limits);
    files.commitWeeks(batch.upTo);
    files.meta.run("UPDATE applied SET position = max(position, ?)", batch.upTo);
    files.meta.commit();
    return {
      events: sums.events,
      duplicates: sums.duplicates,
      newIssues: groups.takeNewIssues(),
      regressedIssues,
      collected: groups.takeCollected(),
    };
  } catch (error) {
    files.rollback();
    groups.forget();
    throw isAboutTheDisk(error) ? new StoreUnavailable(error) : error;
  }
}

export function appliedPosition(files: StoreFiles): number {
  return files.meta.one<{ position: number }>("SELECT position FROM applied")?.position ?? 0;
}

function fileItem(filing: BatchDeps, item: FiledItem, sums: BatchSums, arrivals: Arrivals): void {
  const { files } = filing;
  switch (item.kind) {
    case "event":
      fileEvent(filing, item, sums, arrivals);
      break;
    case "issue":
      filing.groups.addImported(item);
      break;
    case "spans":
      fileSpans(files, item, sums);
      break;
    case "session":
      fileSession(files, item, sums);
      break;
    case "session-counts":
      sums.addSessions(item);
      break;
    case "logs":
      files.writableWeek(item.receivedAt).addLogs(item);
      sums.addLogs(item.project, item.lines);
      break;
    case "attachment":
      if (!arrivals.isRepeated(item.eventRow)) files.writableWeek(item.receivedAt).addAttachment(item);
      break;
    case "metrics":
      for (const measure of item.measures) sums.addMeasure(item.project, measure);
      for (const count of item.counts) sums.addCount(item.project, count);
      break;
    case "discards":
      for (const discard of item.discards) sums.addDiscard(item.project, discard);
      break;
    case "check-in":
      sums.checkIns.push(item);
      break;
    case "feedback":
      writeFeedback(files, item, filing.limits.feedbackPerProject);
      break;
  }
}

function fileEvent({ groups, damping }: BatchDeps, event: FiledEvent, sums: BatchSums, arrivals: Arrivals): void {
  const known = arrivals.find(event);
  if (known !== undefined && known.id !== event.rowId) {
    sums.duplicates++;
    arrivals.addRepeated(event);
    return;
  }
  const { group, shown } = groups.groupOf(event, known?.grp);
  if (known === undefined) arrivals.add(event, group, event.storesBody ?? damping.storesBody(group, event.receivedAt));
  sums.addEvent(shown, group);
}

/**
 * Events of a batch that are not in the store yet: the weeks write them when the batch is complete, and do not find
 * them before.
 */
class Arrivals {
  readonly #files: StoreFiles;
  readonly #byId = new Map<string, KnownEvent>();
  /** Rows of second deliveries. */
  readonly #repeated = new Set<number>();

  constructor(files: StoreFiles) {
    this.#files = files;
  }

  /** Finds the first delivery of an event with this id, in this batch or an earlier one. */
  find(event: FiledEvent): KnownEvent | undefined {
    const arrived = this.#byId.get(keyOf(event));
    if (arrived !== undefined) return arrived;
    const week = this.#files.writableWeek(event.receivedAt);
    const eventId = bytesOf(event.eventId);
    const found = week.findEvent(eventId, event.project);
    if (found !== undefined) return found;
    for (const earlier of this.#files.earlierWeeks(week)) {
      const before = earlier.findEvent(eventId, event.project);
      if (before !== undefined) return before;
    }
    return undefined;
  }

  add(event: FiledEvent, group: number, storesBody: boolean): void {
    this.#files.writableWeek(event.receivedAt).addEvent(event, group, storesBody);
    this.#byId.set(keyOf(event), { id: event.rowId, grp: group });
  }

  addRepeated({ rowId }: FiledEvent): void {
    this.#repeated.add(rowId);
  }

  isRepeated(rowId: number | undefined): boolean {
    return rowId !== undefined && this.#repeated.has(rowId);
  }
}

function keyOf({ project, eventId }: FiledEvent): string {
  return `${project} ${eventId}`;
}

function fileSpans(files: StoreFiles, item: FiledSpans, sums: BatchSums): void {
  const week = files.writableWeek(item.receivedAt);
  if (!week.addSpans(item)) return;
  for (const measure of item.measures) {
    const route = week.routeOfSegment(item.traceId, measure.segmentId, item.project) ?? measure.route;
    sums.addMeasure(item.project, { ...measure, route });
  }
  for (const count of item.counts) sums.addCount(item.project, count);
  for (const { release, at } of item.segments) if (release !== undefined) sums.seeRelease(item.project, release, at, 0);
}

// Old times from a client must not open files of long past weeks.
const longestSessionMs = 86_400_000;

function fileSession(files: StoreFiles, item: FiledSession, sums: BatchSums): void {
  // All updates of a session are in the week of its start. Otherwise each week would count it again.
  const began = Math.max(item.startedAt, item.receivedAt - longestSessionMs);
  const news = files.writableWeek(Math.min(began, item.receivedAt)).addSession(item);
  const { project, startedAt, release, environment } = item;
  sums.addSessions({
    project,
    startedAt,
    release,
    environment,
    started: Number(news.started),
    errored: Number(news.errored),
    crashed: Number(news.crashed),
    abnormal: Number(news.abnormal),
  });
}
