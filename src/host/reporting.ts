import path from "node:path";
import type { Refusals } from "#bounds";
import { drainBody } from "#http";
import { openServerReporting, reportingLimits, type ServerReporting, type StallWatcher } from "#reporting";
import type { Mount } from "./node-server.ts";
import type { ClientAddresses } from "./origin.ts";
import { warn } from "./process/warn.ts";
import type { Served } from "./served.ts";
import { consoleRoutesWithSecrets } from "./service/console-mount.ts";
import type { EmbeddedService } from "./service/embedded-service.ts";

export interface ReportingDeps {
  embedded: EmbeddedService | undefined;
  stallWatcher: StallWatcher;
  refusals: Refusals;
}

/** Connects reporting to the pages' signals, with the application's settings. */
export function openReporting(
  { config, root, release, files }: Served,
  dataFolder: string,
  { embedded, stallWatcher, refusals }: ReportingDeps,
): ServerReporting {
  return openServerReporting({
    settings: config.report ?? {},
    folder: path.join(dataFolder, "outbox"),
    root,
    build: files.build,
    release,
    deliver: embedded?.deliver,
    ...(embedded && { isOwnDsn: embedded.isOwnDsn }),
    ownRoutes: consoleRoutesWithSecrets,
    stallWatcher,
    limits: reportingLimits,
    refusals,
    // Uses the monotonic clock, so that no span is negative.
    now: () => performance.timeOrigin + performance.now(),
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
