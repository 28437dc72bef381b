import path from "node:path";
import { openServerReporting, reportingLimits, type ServerReporting } from "#reporting";
import type { Served } from "./serve.ts";

/** Who listens to the pages: reporting, with the application's settings. */
export function openReporting({ config, root, files }: Served, dataFolder: string): ServerReporting {
  return openServerReporting({
    settings: config.report ?? {},
    folder: path.join(dataFolder, "outbox"),
    root,
    build: files.build,
    deliver: undefined,
    limits: reportingLimits,
    // By the monotonic clock, so that a span is never negative.
    now: () => performance.timeOrigin + performance.now(),
    warn: (text) => console.error(text),
  });
}
