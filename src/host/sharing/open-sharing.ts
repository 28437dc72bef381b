import type { IncomingMessage } from "node:http";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Refusals } from "#bounds";
import type { PageHandler } from "#pages";
import { keepMachineNoted, openSharedStore, type SharedStore, storeAddressOf } from "#service";
import { applicationName } from "../application-name.ts";
import { createFileHeaders } from "../header-rules.ts";
import { warn } from "../process/warn.ts";
import type { Served } from "../served.ts";
import { readBuildFiles } from "./build-files.ts";
import { type SharingLimits, sharingLimits } from "./limits.ts";
import { SharedFiles } from "./shared-files.ts";

/** What this machine shares with others through a PostgreSQL store. */
export interface Sharing {
  /** Answers requests for files of other builds before the pages do. */
  before(pages: PageHandler): PageHandler;
  /** Resolves when the files of this build are stored, or when the start has waited long enough. */
  stored: Promise<void>;
  close(): Promise<void>;
}

export interface SharingDeps {
  dataFolder: string;
  clientOf: (incoming: IncomingMessage) => string;
  refusals: Refusals;
}

/** Returns undefined without a database, and in development. */
export async function openSharing(served: Served, deps: SharingDeps): Promise<Sharing | undefined> {
  const { buildFolder, config } = served;
  if (buildFolder === undefined) return undefined;
  const shared = await openShared(path.join(deps.dataFolder, "data"), config.store);
  if (shared === undefined) return undefined;
  const { sharedFileBytes: buildBytes = sharingLimits.buildBytes } = config.limits ?? {};
  const limits = { ...sharingLimits, buildBytes };
  const application = applicationName(served.root);
  const { build } = served.files;
  const ended = new AbortController();
  const files = new SharedFiles({
    files: shared.browserFiles,
    application,
    limits,
    clientOf: deps.clientOf,
    headersFor: createFileHeaders(config),
    refusals: deps.refusals,
    now: () => performance.now(),
  });
  const note = keepMachineNoted(shared, { kind: "application", build, secret: process.env.HOLDFAST_SECRET });
  const storing = storeBuild(shared, { application, build, buildFolder, limits, signal: ended.signal });
  return {
    before: (pages) => ({
      ...pages,
      owns: (incoming, which) => files.mayHave(incoming) || pages.owns(incoming, which),
      handle: (incoming, response) =>
        files.mayHave(incoming)
          ? files
              .serve({ incoming, response }, pages.leaveFile)
              .then((sent) => (sent ? undefined : pages.handle(incoming, response)))
          : pages.handle(incoming, response),
    }),
    stored: Promise.race([
      storing,
      wait(limits.readyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined),
    ]),
    close: async () => {
      ended.abort();
      note.close();
      await storing;
      await shared.close();
    },
  };
}

/** Pages are served without it, too: a tab that misses a file loads its page in full. */
async function openShared(dataFolder: string, store: string | undefined): Promise<SharedStore | undefined> {
  try {
    return await openSharedStore(storeAddressOf(dataFolder, store));
  } catch (error) {
    warn("Files of other builds are not shared between machines:", error);
    return undefined;
  }
}

interface StoredBuild {
  application: string;
  build: string;
  buildFolder: string;
  limits: SharingLimits;
  signal: AbortSignal;
}

/** Tries until the database has taken it: it may be away at the start. */
async function storeBuild({ browserFiles }: SharedStore, of: StoredBuild): Promise<void> {
  const { buildFolder, limits, signal } = of;
  const onLeftOut = (paths: readonly string[]): void =>
    warn(`${paths.length} files of the build are too large to be shared between machines: ${paths.join(", ")}`);
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      await browserFiles.addBuild(of, () => readBuildFiles(buildFolder, { limits, onLeftOut }));
      return;
    } catch (error) {
      if (tries === 0) warn("The build's files are not stored for other machines yet:", error);
      await wait(limits.retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
