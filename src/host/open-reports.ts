import type { Refusals } from "#bounds";
import { createStallWatcher, reportingLimits, type ServerReporting, type StallWatcher } from "#reporting";
import {
  type Access,
  type ConsoleApi,
  type HealingSource,
  type KeptSource,
  openAccountAccess,
  openSharedState,
  type SharedState,
} from "#service";
import { warn } from "./process/warn.ts";
import { openHandOver, openReporting } from "./reporting.ts";
import type { Served } from "./served.ts";
import type { AnswerMountDeps } from "./service/answer-mount.ts";
import { provideConsoleApi } from "./service/console-mount.ts";
import { consoleUsersOf } from "./service/console-users.ts";
import { type EmbeddedService, embedService, ownProject } from "./service/embedded-service.ts";
import { serviceFolderOf } from "./service/service-folder.ts";
import { sealKeysOf } from "./submissions/seal-key.ts";

/** Where the reports of an application go: to the service inside of it, or to that of its DSN. */
export interface OpenReports {
  reporting: ServerReporting;
  /** Absent where reports go to another service. */
  service: OwnService | undefined;
  /** Finds what became of a digest; undefined where no service can say. */
  stateOf: AnswerMountDeps["stateOf"] | undefined;
  close(): Promise<void>;
}

/** The service inside of the application, and who may use its console. */
export interface OwnService {
  embedded: EmbeddedService;
  access: Access;
  api: ConsoleApi;
}

export interface ReportsPlace {
  /** Address that the server listens on; undefined inside of a server that is not the framework's. */
  host: string | undefined;
  dataFolder: string;
}

export interface ReportsDeps {
  refusals: Refusals;
  /** What the application has kept. It opens after the service. */
  kept: () => KeptSource;
  /** Which build answers its routes. Undefined while nothing watches them. */
  healing: () => HealingSource | undefined;
}

interface ServiceDeps extends ReportsDeps {
  stallWatcher: StallWatcher;
  /** It opens after the service. */
  reporting: () => ServerReporting;
}

/** Opens reporting and, without a DSN, the service. */
export async function openReports(served: Served, place: ReportsPlace, deps: ReportsDeps): Promise<OpenReports> {
  const { config } = served;
  const { refusals } = deps;
  const stallWatcher = createStallWatcher(reportingLimits);
  const release = (): string | undefined => reporting.release;
  const service =
    config.report?.dsn === undefined
      ? await openOwnService(served, place, { ...deps, stallWatcher, reporting: () => reporting })
      : undefined;
  const handOver = openHandOver(served, release);
  const { dataFolder } = place;
  const reporting: ServerReporting = openReporting(served, dataFolder, {
    embedded: service?.embedded,
    handOver,
    stallWatcher,
    refusals,
  });
  return {
    reporting,
    service,
    stateOf: publicStates(config, service?.api, release),
    close: async () => {
      // Reports wait for it.
      handOver?.close();
      await reporting.close();
      service?.api.close();
      await service?.embedded.close();
      await service?.embedded.shared.close();
    },
  };
}

async function openOwnService(
  served: Served,
  { host, dataFolder }: ReportsPlace,
  { refusals, stallWatcher, reporting, kept, healing }: ServiceDeps,
): Promise<OwnService> {
  const { store, trustedProxies } = served.config;
  const { buildFolder: folder } = served;
  const { task } = stallWatcher;
  const shared = await openSharedState(serviceFolderOf(dataFolder), store);
  const build = folder === undefined ? undefined : { folder, release: () => reporting().release };
  const embedded = embedService(dataFolder, { shared, build, store, task, refusals, trustedProxies });
  const access = consoleAccess(served, { host, dataFolder }, { shared, refusals });
  const delivered = (): Promise<void> => reporting().delivered();
  return { embedded, access, api: provideConsoleApi(embedded, { access, delivered, kept, healing }) };
}

function consoleAccess(
  served: Served,
  { host, dataFolder }: ReportsPlace,
  { shared, refusals }: { shared: SharedState; refusals: Refusals },
): Access {
  const users = consoleUsersOf(served, host);
  if (users.kind !== "accounts") return users;
  return openAccountAccess({
    openAccounts: (options) => shared.openAccounts(options),
    refusals,
    sealKeys: async () => sealKeysOf(dataFolder),
    log: warn,
  });
}

/** Whether error pages lead to a page that says what became of a digest. */
export function hasAnswersFor({ visitorAnswers, report }: Served["config"]): boolean {
  // Other services than Holdfast's know no answer, and a link to it would promise one.
  return report?.dsn === undefined ? visitorAnswers !== false : visitorAnswers === true;
}

/** Asks the own service, or that of the DSN if the configuration says so. */
function publicStates(
  config: Served["config"],
  api: ConsoleApi | undefined,
  release: () => string | undefined,
): OpenReports["stateOf"] {
  if (!hasAnswersFor(config)) return undefined;
  if (api) return (digest) => api.publicState(ownProject, { digest, release: release() });
  const dsn = config.report?.dsn;
  if (dsn === undefined) return undefined;
  return async (digest) => (await import("./service/ask-service.ts")).askService(dsn, digest, release());
}
