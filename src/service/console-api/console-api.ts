import type { Access } from "../accounts/access.ts";
import { type Administration, openAdministration } from "../administration/administration.ts";
import { beginLooking } from "../alert-rules/begin-looking.ts";
import { type BoundAll, bindFirst } from "../bind-first.ts";
import { watchOf } from "../check-ins/watch-state.ts";
import { type Clock, systemClock } from "../clock.ts";
import { ownershipLimitsOf } from "../issues/ownership/ownership-rules.ts";
import { openReader } from "../open-reader.ts";
import type { Service } from "../open-service.ts";
import type { Project } from "../projects.ts";
import { issueIdOf } from "../queries/issue.ts";
import type { QueryContext } from "../queries/query-context.ts";
import { type ScanLimits, scanLimitsOf } from "../queries/scan-limits.ts";
import { type DiskUse, diskUseOf } from "../retention/disk-use.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import type { DeletionRecord, MonitorName, PartitionRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { IssueChange } from "../stores/store-requests.ts";
import type { Deploy } from "../uploads/deploys.ts";
import { openSignInApi, type SignInApi } from "./access-api.ts";
import { type AlertsApi, openAlertsApi } from "./alerts-api.ts";
import { type BalanceApi, openBalanceApi } from "./balance-api.ts";
import { type EraseApi, openEraseApi } from "./erase-api.ts";
import { type FiltersApi, openFiltersApi } from "./filters-api.ts";
import { type HealingApi, type HealingSource, openHealingApi } from "./healing-api.ts";
import { type KeptApi, type KeptSource, openKeptApi } from "./kept-api.ts";
import { type KeysApi, openKeysApi } from "./keys-api.ts";
import { type OwnershipApi, openOwnershipApi } from "./ownership-api.ts";
import { openPortableApi, type PortableApi } from "./portable-api.ts";
import * as questions from "./questions.ts";
import { openScrubApi, type ScrubApi } from "./scrub-api.ts";
import { openSearchesApi, type SearchesApi } from "./searches-api.ts";
import { openSpikesApi, type SpikesApi } from "./spikes-api.ts";
import { openTicketsApi, type TicketsApi } from "./tickets-api.ts";
import { openTokensApi, type TokensApi } from "./tokens-api.ts";

/** The queries without their first parameter. */
export type Questions = BoundAll<QueryContext, typeof questions>;

/**
 * Everything that the console may query and change. Each query names its project. An issue or event of another project
 * is reported like one that does not exist.
 */
export interface ConsoleApi extends Questions {
  readonly access: Access;
  /** Undefined where the console has no accounts of its own. */
  readonly signIn: SignInApi | undefined;
  /** Settings that owners change. */
  readonly administration: Administration;
  /** Channels and rules of alerts, what became of messages, and tests. */
  readonly alerts: AlertsApi;
  /** Bounds of searches in logs and spans. */
  readonly scanLimits: ScanLimits;
  /** Saved searches of people and projects. */
  readonly searches: SearchesApi;
  /** Keys with which clients send, and their limits. */
  readonly keys: KeysApi;
  /** Reports that a project does not want. */
  readonly filters: FiltersApi;
  /** What a project takes out of its reports, beside the secrets that the service knows. */
  readonly scrubRules: ScrubApi;
  /** What happens when far more errors arrive than usual. */
  readonly spikes: SpikesApi;
  /** Who gets which issues. */
  readonly ownership: OwnershipApi;
  /** Tickets about issues in another tool. */
  readonly tickets: TicketsApi;
  /** Error pages that were shown against events that were filed, and what visitors did next. */
  readonly balance: BalanceApi;
  /** Tokens of people and projects, for programs. */
  readonly tokens: TokensApi;
  /** Forgetting of events, issues, visitors and projects. */
  readonly erase: EraseApi;
  /** Export and import of projects. */
  readonly portable: PortableApi;
  /** Kept submissions of a project. Undefined where its application runs elsewhere: they are with the application. */
  kept(project: number): KeptApi | undefined;
  /** Which build answers the routes of a project. Undefined where its application runs elsewhere. */
  healing(project: number): HealingApi | undefined;
  now(): number;
  projects(): readonly Project[];
  /** Deploys of a release that release tools have announced, newest first. */
  deploys(project: number, release: string): readonly Deploy[];
  /** Disk use of all data, and what was deleted. */
  storage(): Promise<Storage>;
  /** Resolves when all reports so far are filed, as far as this process knows of them. */
  settled(): Promise<void>;
  /** Changes issues by their visible numbers. Resolves with the number of changed issues. */
  change(project: number, numbers: readonly number[], change: NumberedChange, by: string): Promise<number>;
  /** Mutes or deletes a scheduled task. Issues of a deleted one are resolved. */
  changeTask(task: MonitorName, change: TaskChange, by: string): Promise<void>;
  /** Archives feedback, or opens it again. Resolves with the number of changed entries. */
  changeFeedback(project: number, ids: readonly number[], archived: boolean): Promise<number>;
  close(): void;
}

export type TaskChange = "mute" | "unmute" | "delete";

export interface Storage {
  /** Files with events, newest first. */
  readonly files: readonly PartitionRecord[];
  readonly use: DiskUse;
  readonly sourceMapBytes: number;
  readonly gone: readonly DeletionRecord[];
}

/** The store's changes, but issues are identified by their visible numbers. */
export type NumberedChange = Exclude<IssueChange, { kind: "merge" }> | { kind: "merge"; intoNumber: number };

export interface ConsoleApiOptions {
  /** The service that writes. */
  service: Pick<Service, "shared" | "change" | "changeFeedback" | "changeMonitor" | "drained" | "importLines">;
  /** Resolves when all reports of this process so far have reached the service. */
  delivered?: () => Promise<void>;
  dataFolder: string;
  /** Address of the database, if the store is not in the data folder. */
  store?: string | undefined;
  access: Access;
  /** What the application of this process has kept, and its project. */
  kept?: { project: number; source: () => KeptSource } | undefined;
  /** Which build answers the routes of the application of this process, and its project. */
  healing?: { project: number; source: () => HealingSource | undefined } | undefined;
  clock?: Clock;
}

export function openConsoleApi(options: ConsoleApiOptions): ConsoleApi {
  const { service, delivered, dataFolder, access, clock = systemClock } = options;
  const lazy = new LazyReader(() => openReader(dataFolder, options.store));
  const store = (): Promise<StoreReader> => lazy.get();
  const now = (): number => clock.now();
  const { shared } = service;
  const limits = scanLimitsOf(process.env);
  const administration = openAdministration(shared, now, (project) => beginLooking({ shared, store, now }, project));
  const kept = options.kept && openKeptApi({ ...options.kept, store, administration });
  const healing = options.healing && openHealingApi({ ...options.healing, administration });
  const change: ConsoleApi["change"] = async (project, numbers, wish, by) => {
    const reader = await store();
    const idOf = (number: number) => issueIdOf(reader, project, number);
    const ids = (await Promise.all(numbers.map(idOf))).filter((id) => id !== undefined);
    const written = wish.kind === "merge" ? mergeOf(await idOf(wish.intoNumber)) : wish;
    if (written === undefined || ids.length === 0) return 0;
    return (await service.change(project, ids, written, by)).length;
  };
  return {
    ...bindFirst(async (): Promise<QueryContext> => ({ store: await store(), now: clock.now(), limits }), questions),
    access,
    scanLimits: limits,
    signIn: openSignInApi(access, { administration, projects: () => shared.projects.all.map(({ id }) => id) }),
    administration,
    alerts: openAlertsApi({ dataFolder, shared, store, now }),
    searches: openSearchesApi(shared.searches, administration),
    keys: openKeysApi({ projects: shared.projects, figures: shared.intakeFigures, administration, now }),
    filters: openFiltersApi({ projects: shared.projects, figures: shared.intakeFigures, administration, now }),
    scrubRules: openScrubApi({ projects: shared.projects, store, administration, now }),
    spikes: openSpikesApi({ projects: shared.projects, figures: shared.intakeFigures, administration, now }),
    ownership: openOwnershipApi({
      projects: shared.projects,
      store,
      administration,
      access,
      limits: ownershipLimitsOf(process.env),
    }),
    tickets: openTicketsApi({ projects: shared.projects, store, administration, now, change }),
    balance: openBalanceApi({ shared, store, now }),
    tokens: openTokensApi({ shared, access }),
    erase: openEraseApi({ dataFolder, store, administration, now }),
    portable: openPortableApi({
      ...{ dataFolder, store: options.store, service },
      ...{ projects: shared.projects, administration, now },
    }),
    kept: (project) => (project === options.kept?.project ? kept : undefined),
    healing: (project) => (project === options.healing?.project ? healing : undefined),
    now,
    projects: () => shared.projects.all,
    deploys: (project, release) => shared.deploys.ofRelease(project, release),
    async storage() {
      const reader = await store();
      const [files, sourceMapBytes, gone] = await Promise.all([
        reader.partitions(),
        reader.sourceMapBytes(),
        reader.deletions(),
      ]);
      return { files, use: diskUseOf(dataFolder), sourceMapBytes, gone };
    },
    async settled() {
      await delivered?.();
      await service.drained();
    },
    change,
    async changeTask(task, change, by) {
      const { project, name, environment } = task;
      const issues = change === "delete" ? await openIssuesOf(await store(), task) : [];
      if (issues.length > 0) await service.change(project, issues, { kind: "resolve", in: "now" }, by);
      const which = { project, name, environment };
      if (change === "delete") await service.changeMonitor({ ...which, kind: "delete" });
      else await service.changeMonitor({ ...which, kind: "mute", isMuted: change === "mute" });
      const words = { mute: "muted", unmute: "unmuted", delete: "deleted" }[change];
      const where = environment === undefined ? "" : ` in ${environment}`;
      await administration.record({ by, project, what: `${words} the schedule ${name}${where}` });
    },
    changeFeedback: async (project, ids, archived) => (await service.changeFeedback(project, ids, archived)).length,
    close: () => void lazy.close(),
  };
}

/** No run could resolve them any more. */
async function openIssuesOf(store: StoreReader, { project, name, environment }: MonitorName): Promise<number[]> {
  const monitors = await store.monitors(project);
  const monitor = monitors.find((one) => one.name === name && one.environment === environment);
  if (monitor === undefined) return [];
  const events = await Promise.all(watchOf(monitor).problems.map(({ eventId }) => store.event(project, eventId)));
  return events.flatMap((event) => (event === undefined ? [] : [event.issue]));
}

function mergeOf(into: number | undefined): IssueChange | undefined {
  return into === undefined ? undefined : { kind: "merge", into };
}
