import path from "node:path";
import type { Refusals } from "#bounds";
import { drainBody } from "#http";
import {
  dsnOfSettings,
  openServerReporting,
  type ReportingLimits,
  reportingLimits,
  type ServerReporting,
  type StallWatcher,
} from "#reporting";
import type { Mount } from "./enter.ts";
import type { ClientAddresses } from "./origin.ts";
import { warn } from "./process/warn.ts";
import { isFirstWorker } from "./process/worker-mark.ts";
import type { Served } from "./served.ts";
import { consoleRoutesWithSecrets } from "./service/console-mount.ts";
import type { EmbeddedService } from "./service/embedded-service.ts";
import { type HandOver, handOverBuild, handOverLimits } from "./service/hand-over-build.ts";

/** Never changes; the getter costs as much as the clock. */
const { timeOrigin } = performance;

export interface ReportingDeps {
  embedded: EmbeddedService | undefined;
  handOver: HandOver | undefined;
  stallWatcher: StallWatcher;
  refusals: Refusals;
  /** Others than those of a server. */
  limits?: ReportingLimits;
}

/**
 * Hands the build over to the service that `report.dsn` names, if there is a token for it. Of several processes, the
 * first does it. A wrong DSN is reported by reporting.
 */
export function openHandOver(
  { config, buildFolder, files }: Served,
  release: () => string | undefined,
): HandOver | undefined {
  const token = process.env.HOLDFAST_UPLOAD_TOKEN?.trim();
  const dsn = dsnOfSettings(config.report ?? {});
  if (!token || dsn === undefined || buildFolder === undefined || !isFirstWorker()) return undefined;
  const { build } = files;
  return handOverBuild({ dsn, token, folder: buildFolder, build, release, limits: handOverLimits, warn });
}

/** Connects reporting to the pages' signals, with the application's settings. */
export function openReporting(
  { config, root, release, files, development }: Served,
  dataFolder: string,
  { embedded, handOver, stallWatcher, refusals, limits = reportingLimits }: ReportingDeps,
): ServerReporting {
  return openServerReporting({
    // One person develops, and wants to see what each request did.
    settings: { ...(development && { sampleRate: 1 }), ...config.report },
    folder: path.join(dataFolder, "outbox"),
    root,
    build: files.build,
    release,
    deliver: embedded?.deliver,
    beforeDelivery: handOver?.settled,
    ...(embedded && { isOwnDsn: embedded.isOwnDsn }),
    ownRoutes: consoleRoutesWithSecrets,
    stallWatcher,
    limits,
    refusals,
    // Uses the monotonic clock, so that no span is negative.
    now: () => timeOrigin + performance.now(),
    warn,
  });
}

/** Receives the reports of the application's browsers. A mount beside the pages is never traced. */
export function createTunnelMount({ tunnel }: ServerReporting, { clientOf, originOf }: ClientAddresses): Mount {
  return {
    path: tunnel.path,
    handle: (incoming, response) =>
      tunnel.handle(incoming, response, {
        address: clientOf(incoming),
        origin: originOf(incoming),
        readRest: () => drainBody(incoming),
      }),
  };
}
