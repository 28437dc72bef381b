import type { Access } from "../accounts/access.ts";
import { type Administration, openAdministration } from "../administration/administration.ts";
import { type Clock, systemClock } from "../clock.ts";
import { openReader } from "../open-reader.ts";
import type { Service } from "../open-service.ts";
import type { Project } from "../projects.ts";
import { type EventAnswer, eventByIdOrDigest } from "../queries/event.ts";
import { eventAsMarkdown } from "../queries/event-as-markdown.ts";
import { type FindResult, find } from "../queries/find.ts";
import { type IssueAnswer, issueByNumber } from "../queries/issue.ts";
import { type IssueListAnswer, type IssueListQuestion, issueList, issueTabs } from "../queries/issue-list.ts";
import { type LiveAnswer, type LiveQuestion, type LiveVisitor, live, liveVisitors } from "../queries/live.ts";
import { type OverviewAnswer, overview } from "../queries/overview.ts";
import { budgets, exampleTraces, type PageBudgets, type PageReport, pages } from "../queries/pages.ts";
import type { Period } from "../queries/period.ts";
import { type PublicEvent, publicEvent } from "../queries/public-event.ts";
import { type ReleaseAnswer, type ReleaseDetails, releaseByName, releases } from "../queries/releases.ts";
import { type TraceAnswer, traceById } from "../queries/trace.ts";
import { type DiskUse, diskUseOf } from "../retention/disk-use.ts";
import { filterProblems } from "../stores/filter-language.ts";
import type {
  EventCursor,
  EventSummary,
  GoneRecord,
  IssueChange,
  PartitionRecord,
  SegmentRecord,
  StoreReader,
} from "../stores/store.ts";

/**
 * Everything the console may ask and do. Each question names its project; what lies in another is as unknown as what
 * never was.
 */
export interface Storage {
  /** The files with events, newest first. */
  readonly files: readonly PartitionRecord[];
  readonly use: DiskUse;
  readonly sourceMapBytes: number;
  readonly gone: readonly GoneRecord[];
}

export interface ConsoleApi {
  readonly access: Access;
  now(): number;
  projects(): readonly Project[];
  issues(question: IssueListQuestion): IssueListAnswer;
  /** The parts of a filter that mean nothing, in words for the person who typed it. */
  filterProblems(project: number, filter: string): readonly string[];
  issueTabs(project: number, filter: string): Readonly<Record<"open" | "regressed" | "resolved" | "muted", number>>;
  issue(project: number, number: number, period: Period): IssueAnswer | undefined;
  /** Newest first. */
  eventsOf(
    project: number,
    number: number,
    page: { before?: EventCursor; limit: number },
  ): readonly EventSummary[] | undefined;
  /** By event id, or by the digest however it was typed. */
  event(project: number, text: string): EventAnswer | undefined;
  /** For people elsewhere. `consoleAddress` is where links in it lead. */
  eventAsMarkdown(project: number, text: string, consoleAddress: string): string | undefined;
  /** For programs. */
  publicEvent(project: number, text: string, consoleAddress: string): PublicEvent | undefined;
  /** Returns when everything that was reported so far is filed, as far as this process knows of it. */
  settled(): Promise<void>;
  find(project: number, typed: string): FindResult;
  trace(project: number, traceId: string): TraceAnswer | undefined;
  overview(project: number): OverviewAnswer;
  pages(project: number, period: Period): readonly PageReport[];
  /** What the pages of a project may cost, as far as they declare it. */
  budgets(project: number): PageBudgets;
  /** Traces of a route that took about so long. */
  exampleTraces(project: number, route: string, period: Period, aroundMs?: number): readonly SegmentRecord[];
  releases(project: number): readonly ReleaseAnswer[];
  release(project: number, name: string): ReleaseDetails | undefined;
  /** Newest first, without details. */
  releaseNames(project: number): readonly string[];
  /** The row of what came in last, to ask `live` after. */
  newestRow(project: number): number | undefined;
  live(question: LiveQuestion): LiveAnswer;
  /** Who was here lately, newest first. */
  visitors(project: number): readonly LiveVisitor[];
  /** What owners decide. */
  readonly administration: Administration;
  /** What everything takes on the disk, and what had to go. */
  storage(): Storage;
  /** By the numbers people see. Returns how many issues changed. */
  change(project: number, numbers: readonly number[], change: NumberedChange, by: string): Promise<number>;
  close(): void;
}

/** As the store has it, but issues are named by their numbers. */
export type NumberedChange = Exclude<IssueChange, { kind: "merge" }> | { kind: "merge"; intoNumber: number };

export interface ConsoleApiOptions {
  /** The service that writes; without one, everything can be seen and nothing changed. */
  service: Pick<Service, "projects" | "change" | "drained">;
  /** Returns when what this process has reported so far is with the service. */
  delivered?: () => Promise<void>;
  dataFolder: string;
  access: Access;
  clock?: Clock;
}

export function openConsoleApi(options: ConsoleApiOptions): ConsoleApi {
  const { service, delivered, dataFolder, access, clock = systemClock } = options;
  let opened: StoreReader | undefined;
  /** Opened by the first question: until then the service may not have made its files. */
  const store = (): StoreReader => {
    opened ??= openReader(dataFolder);
    return opened;
  };
  /** The number of a merged issue means the issue that has it now. */
  const idOf = (project: number, number: number): number | undefined => {
    const issue = store().issue(project, { number });
    return issue?.mergedInto ?? issue?.id;
  };
  return {
    access,
    administration: openAdministration({ dataFolder, projects: () => service.projects, now: () => clock.now() }),
    now: () => clock.now(),
    projects: () => service.projects.all,
    issues: (question) => issueList(store(), question),
    filterProblems: (project, filter) => filterProblems(filter, (key) => store().hasTag(project, key)),
    issueTabs: (project, filter) => issueTabs(store(), project, filter),
    issue: (project, number, period) => issueByNumber(store(), project, number, period),
    eventsOf: (project, number, page) => {
      const id = idOf(project, number);
      return id === undefined ? undefined : store().eventsOf(project, id, page);
    },
    event: (project, text) => eventByIdOrDigest(store(), project, text),
    eventAsMarkdown: (project, text, consoleAddress) => {
      const found = eventByIdOrDigest(store(), project, text);
      return found && eventAsMarkdown(found, consoleAddress);
    },
    publicEvent: (project, text, consoleAddress) => {
      const found = eventByIdOrDigest(store(), project, text);
      return found && publicEvent(found, consoleAddress);
    },
    settled: async () => {
      await delivered?.();
      await service.drained();
    },
    find: (project, typed) => find(store(), project, typed),
    trace: (project, traceId) => traceById(store(), project, traceId),
    overview: (project) => overview(store(), project, clock.now()),
    pages: (project, period) => pages(store(), project, period),
    budgets: (project) => budgets(store(), project, clock.now()),
    exampleTraces: (project, route, period, aroundMs) => exampleTraces(store(), project, route, period, aroundMs),
    releases: (project) => releases(store(), project, clock.now()),
    release: (project, name) => releaseByName(store(), project, name, clock.now()),
    releaseNames: (project) => store().releaseNames(project),
    newestRow: (project) => store().recent(project, undefined, 1).at(-1)?.rowId,
    live: (question) => live(store(), question, clock.now()),
    visitors: (project) => liveVisitors(store(), project, clock.now()),
    storage: () => ({
      files: store().partitions(),
      use: diskUseOf(dataFolder),
      sourceMapBytes: store().sourceMapBytes(),
      gone: store().gone(),
    }),
    change: async (project, numbers, change, by) => {
      const ids = numbers.map((number) => idOf(project, number)).filter((id) => id !== undefined);
      const written = change.kind === "merge" ? mergeOf(idOf(project, change.intoNumber)) : change;
      if (written === undefined || ids.length === 0) return 0;
      return (await service.change(project, ids, written, by)).length;
    },
    close: () => opened?.close(),
  };
}

function mergeOf(into: number | undefined): IssueChange | undefined {
  return into === undefined ? undefined : { kind: "merge", into };
}
