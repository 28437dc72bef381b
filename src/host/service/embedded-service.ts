import { setTimeout as wait } from "node:timers/promises";
import type { Refusals } from "#bounds";
import { HoldfastError, messageOf } from "#errors";
import { readDsn } from "#protocol";
import type { Deliver, DeliveryResult } from "#reporting";
import {
  type AcceptOutcome,
  consolePath,
  createAddressOf,
  keepLastAddress,
  openService,
  type Service,
  type SharedState,
  type ThreadTask,
} from "#service";
import type { Mount } from "../enter.ts";
import { warn } from "../process/warn.ts";
import { serviceFolderOf } from "./service-folder.ts";
import { listenForOthers, type RemoteService, remoteService } from "./service-socket.ts";

/** The error service inside an application's own processes. One process runs it, the others connect to that one. */
export interface EmbeddedService {
  /** The service's data folder. */
  readonly folder: string;
  /** Address of the database, if the store is not in that folder. */
  readonly store: string | undefined;
  readonly shared: SharedState;
  /** Opens the service once. Resolves when it is open or another process is known to run it. */
  open(): Promise<void>;
  /** Delivers an envelope to the application's own project. */
  deliver: Deliver;
  /**
   * Whether a DSN names the application's own project. Compares number and key, because an application may have many
   * host names.
   */
  isOwnDsn: (dsn: string) => boolean;
  /** Applies a person's change to issues. */
  change: Service["change"];
  changeMonitor: Service["changeMonitor"];
  changeFeedback: Service["changeFeedback"];
  importLines: Service["importLines"];
  /** The figures of the service for Prometheus. Rejects while no process runs it. */
  metrics(): Promise<string>;
  /** Resolves when all accepted envelopes are filed; at once where no process runs the service. */
  drained: Service["drained"];
  /** Receives the envelopes of clients that have the application's DSN. */
  readonly ingest: Mount;
  /** Stores the application's address, so that commands can print it for clients. */
  reachableAt(origin: string): void;
  close(): Promise<void>;
}

/** Project that the first start of a service creates. */
export const ownProject = 1;

/** Wait for the process that owns the data folder: on a restart it is about to end, or not listening yet. */
const retryMs = 2_000;

/** Delay before the build's source maps are read: this costs CPU time, and the first visitors have priority. */
const mapsAfterMs = 250;

/** The served build. The release is a function, because reporting, which names it, opens after the service. */
export interface ServedBuild {
  folder: string;
  release: () => string | undefined;
}

export interface EmbeddedDeps {
  /** Closed by its owner, after the service. */
  shared: SharedState;
  /** Address of a database for the reports; `HOLDFAST_STORE` or the data folder otherwise. */
  store?: string | undefined;
  build?: ServedBuild | undefined;
  /** Runs in the service's thread beside filing. */
  task?: ThreadTask;
  refusals?: Refusals;
  /** Proxies that name the client of a request. */
  trustedProxies?: readonly string[] | undefined;
}

/**
 * Opens the service in the application's data folder, or connects to the process that runs it. While no process runs
 * it, envelopes stay in the outbox.
 */
export function embedService(dataFolder: string, deps: EmbeddedDeps): EmbeddedService {
  const folder = serviceFolderOf(dataFolder);
  const remote = remoteService(folder, createAddressOf(deps.trustedProxies ?? []));
  let own: OwnService | undefined;
  let opening: Promise<void> | undefined;
  let closed = false;
  let hasWarnedOfSocket = false;
  const open = (): Promise<void> => {
    opening ??= openUnlessTaken(folder, deps, () => closed).then((opened) => {
      own = opened;
    });
    return opening;
  };
  /**
   * Calls the service of this process or of another one. If neither responds, its owner has ended, and this process
   * opens the service.
   */
  const reach = async <T>(call: (service: Service | RemoteService) => Promise<T>): Promise<T> => {
    await open();
    if (own) return call(own.service);
    try {
      return await call(remote);
    } catch (error) {
      if (!hasWarnedOfSocket && error instanceof HoldfastError && error.code === "foreign-socket") {
        hasWarnedOfSocket = true;
        warn(error.message);
      }
      if (!closed) own = await openUnlessTaken(folder, deps, () => closed);
      if (!own) throw error;
      return call(own.service);
    }
  };
  return {
    folder,
    store: deps.store,
    shared: deps.shared,
    open,
    change: (...change) => reach((service) => service.change(...change)),
    changeMonitor: (change) => reach((service) => service.changeMonitor(change)),
    changeFeedback: (...change) => reach((service) => service.changeFeedback(...change)),
    importLines: (...lines) => reach((service) => service.importLines(...lines)),
    metrics: () => reach(async (service) => service.metrics()),
    drained: () => reach((service) => service.drained()).catch(() => undefined),
    deliver: async (envelope) => {
      try {
        // Without its source maps, an early error would be grouped apart from later ones. It is safe in the outbox
        // meanwhile.
        await open();
        await own?.maps;
        return deliveryOf(await reach((service) => service.accept(ownProject, envelope)));
      } catch {
        return { kind: "later", why: "the service is not open", afterMs: retryMs };
      }
    },
    isOwnDsn: (text) => {
      const dsn = readDsn(text);
      return dsn?.project === String(ownProject) && deps.shared.projects.byKey(dsn.publicKey)?.id === ownProject;
    },
    ingest: {
      path: `${consolePath}/api`,
      handle: async (incoming, response) => {
        await open();
        if (!own)
          await remote
            .forward(incoming, response)
            .catch(() =>
              response.writeHead(503, { "Retry-After": String(retryMs / 1_000), "Content-Length": "0" }).end(),
            );
        else if (!own.service.handle(incoming, response, consolePath))
          response.writeHead(404, { "Content-Length": "0" }).end();
      },
    },
    reachableAt: (origin) => keepLastAddress(folder, origin + consolePath),
    close: async () => {
      closed = true;
      await opening;
      own?.others?.close();
      await own?.service.close();
    },
  };
}

interface OwnService {
  service: Service;
  /** Resolves when the build's source maps are stored, or have failed. */
  maps: Promise<void>;
  others: { close(): void } | undefined;
}

async function openUnlessTaken(
  folder: string,
  { shared, build, store, task, refusals, trustedProxies }: EmbeddedDeps,
  isClosed: () => boolean,
): Promise<OwnService | undefined> {
  try {
    const service = await openService({
      dataFolder: folder,
      shared,
      store,
      task,
      refusals,
      trustedProxies,
      log: warn,
    });
    const maps = build === undefined ? Promise.resolve() : addBuild(service, build, isClosed);
    // The service works without the socket; other processes then wait for this one to end.
    const others = await listenForOthers(service, folder, consolePath).catch(warnOfSocket);
    return { service, maps, others };
  } catch (error) {
    // Pages are served without the service too; their reports wait in the outbox.
    if (!(error instanceof HoldfastError && error.code === "service-folder-in-use"))
      warn("The error service cannot be opened:", error);
    return undefined;
  }
}

function warnOfSocket(error: unknown): undefined {
  warn(`Other processes of this application cannot reach its error service: ${messageOf(error)}`);
}

async function addBuild(service: Service, { folder, release }: ServedBuild, isClosed: () => boolean): Promise<void> {
  await wait(mapsAfterMs, undefined, { ref: false });
  await service.addBuild(ownProject, folder, release()).catch((error: unknown) => {
    // A server that stops soon after its start cuts it. The next start stores them.
    if (!isClosed()) warn("The build's source maps could not be stored:", error);
  });
}

/** Maps the service's outcome to the delivery result for the outbox. */
function deliveryOf(outcome: AcceptOutcome): DeliveryResult {
  switch (outcome.kind) {
    case "accepted":
      return { kind: "taken", limits: outcome.limits };
    case "limited":
      return { kind: "later", why: "over its quota", limits: outcome.limits };
    case "unavailable":
      return { kind: "later", why: outcome.why, afterMs: outcome.retryAfterSeconds * 1_000 };
    default:
      return { kind: "refused", why: outcome.kind };
  }
}
