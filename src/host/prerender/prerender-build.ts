import { Refusals } from "#bounds";
import { messageOf } from "#errors";
import {
  type HandlerOptions,
  type MadePage,
  OpenStreams,
  type PageHandler,
  type PlannedPage,
  Posts,
  SubmissionMemory,
  type UnmadePage,
} from "#pages";
import { createStallWatcher, reportingLimits, type ServerReporting } from "#reporting";
import { type ServerSignals, silentServerSignals } from "#signals";
import { handlerOf, loadBuild } from "../built-pages.ts";
import { hostErrors } from "../errors.ts";
import { handlerOptions } from "../handler-parts.ts";
import { runOnStart, runOnStop } from "../lifecycle/hooks.ts";
import { hostLimitsOf } from "../limit-settings.ts";
import { type HostLimits, hostLimits } from "../limits.ts";
import { hasAnswersFor } from "../open-reports.ts";
import { warn } from "../process/warn.ts";
import { openHandOver, openReporting } from "../reporting.ts";
import type { Served } from "../served.ts";
import { openBuilt } from "../start.ts";
import { describeUnmade } from "./describe-unmade.ts";
import { problemsOfDirectRules, reportingDirectly } from "./direct-reports.ts";

/** A page that was made, and the time that it took. */
export interface PrerenderedResult {
  planned: PlannedPage;
  made: MadePage;
  ms: number;
}

export interface PrerenderBuildOptions {
  /** The application's folder. */
  root: string;
  /** Of the build. */
  folder: string;
  /** Where events of failures are kept. */
  dataFolder: string;
  /** Whether the application becomes a folder of files, without a server. */
  isStatic: boolean;
  /** Called with each page. As many as the limit says are waited for at the same time. */
  write(page: PrerenderedResult): Promise<void>;
  /** Called before the first page and after each. */
  onProgress(made: number, of: number): void;
}

/** Makes the pages of a build that declare `prerender`. Throws one error with everything that is wrong. */
export async function prerenderBuild(options: PrerenderBuildOptions): Promise<{ settings: string }> {
  const { root, folder, dataFolder, isStatic } = options;
  const built = await openBuilt({ root, outDir: folder });
  const direct = isStatic ? reportingDirectly(built) : undefined;
  const served = direct ?? built;
  const handOver = direct && openHandOver(direct, () => reporting.release);
  const limits = hostLimitsOf(served.config.limits);
  const stallWatcher = createStallWatcher(reportingLimits);
  const reporting = openReporting(served, dataFolder, {
    embedded: undefined,
    handOver,
    stallWatcher,
    refusals: new Refusals(),
    // A build is busy, and keeps no visitor waiting.
    limits: { ...reportingLimits, stallMs: Number.POSITIVE_INFINITY },
  });
  try {
    const pages = handlerOf(
      await loadBuild(folder),
      { ...optionsFor(served, reporting, dataFolder), ...(isStatic && withoutServer(reporting, direct)) },
      folder,
    );
    const made = await withApplication(pages, { limits, reporting }, () => makeAll(pages, served, limits, options));
    await handOver?.settled;
    return made;
  } finally {
    handOver?.close();
    await reporting.close();
  }
}

/** Loads may need what `onStart` opens. */
async function withApplication<Value>(
  pages: PageHandler,
  { limits, reporting: { signals } }: { limits: HostLimits; reporting: ServerReporting },
  run: () => Promise<Value>,
): Promise<Value> {
  const hooks = await pages.lifecycle();
  await runOnStart(hooks, { withinMs: limits.startMs, signals, warn });
  try {
    return await run();
  } finally {
    await runOnStop(hooks, { withinMs: hostLimits.shutdownMs, signals, warn });
  }
}

async function makeAll(
  pages: PageHandler,
  { config, root }: Served,
  { prerenderAtOnce }: HostLimits,
  { write, onProgress, isStatic }: PrerenderBuildOptions,
): Promise<{ settings: string }> {
  const prerenderer = pages.prerenderer?.();
  if (!prerenderer) throw hostErrors.brokenBuild(root, "it cannot make pages");
  const refused = isStatic ? hostErrors.staticRefused : hostErrors.prerenderRefused;
  const planned = isStatic ? prerenderer.planSite(config.origin) : prerenderer.plan(config.origin);
  const plan = await planned.catch((error: unknown) => {
    throw refused([messageOf(error)]);
  });
  const problems = isStatic ? [...plan.problems, ...problemsOfStatic(config)] : plan.problems;
  if (problems.length > 0) throw refused(problems);
  const unmade = new Map<PlannedPage, UnmadePage>();
  let done = 0;
  onProgress(0, plan.pages.length);
  await inPool(plan.pages, prerenderAtOnce, async (planned) => {
    const startedAt = performance.now();
    const made = await prerenderer.make(planned);
    const ms = performance.now() - startedAt;
    if (made.kind === "made") await write({ planned, made, ms });
    else unmade.set(planned, made);
    done += 1;
    onProgress(done, plan.pages.length);
  });
  const failed = plan.pages.flatMap((planned) => {
    const why = unmade.get(planned);
    return why ? [describeUnmade(planned, why, root)] : [];
  });
  if (failed.length > 0) throw hostErrors.prerenderFailed(await Promise.all(failed));
  return { settings: prerenderer.settings };
}

async function inPool<Item>(items: readonly Item[], atOnce: number, run: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** No server knows what became of a digest. Without a service, none takes reports either. */
function withoutServer({ headScript }: ServerReporting, direct: Served | undefined): Partial<HandlerOptions> {
  return { headStart: direct ? headScript : "", hasAnswers: false };
}

function problemsOfStatic(config: Served["config"]): string[] {
  const { redirects = [], rewrites = [] } = config;
  return [
    ...(redirects.length > 0 ? ["redirects of holdfast.config: a folder of files cannot redirect."] : []),
    ...(rewrites.length > 0 ? ["rewrites of holdfast.config: a folder of files cannot rewrite."] : []),
    ...problemsOfDirectRules(config),
  ];
}

/** There is no visitor and no request: nothing is traced, and nothing is posted. */
function optionsFor(served: Served, reporting: ServerReporting, dataFolder: string): HandlerOptions {
  const base = handlerOptions(served, reporting, dataFolder);
  const clientOf = (): string => "";
  const sealKey = new Uint8Array(32);
  return {
    ...base,
    signals: signalsOf(reporting.signals),
    originOf: () => served.config.origin ?? "",
    clientOf,
    sealKey,
    memory: new SubmissionMemory({ store: undefined, reach: "local", sealKey }),
    posts: new Posts(base.limits, clientOf),
    streams: new OpenStreams(base.limits, clientOf),
    hasAnswers: hasAnswersFor(served.config),
  };
}

/** Errors are reported as those of a page that no visitor has seen. */
function signalsOf({ errorCaught, routesKnown }: ServerSignals): ServerSignals {
  return {
    ...silentServerSignals,
    routesKnown,
    errorCaught: (error, place) =>
      isRefusal(error) ? { kind: "unrecorded" } : errorCaught(error, { ...place, visitorSaw: "nothing" }),
  };
}

/** A page that reads what only a request has is no failure of its code. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("prerender-");
}
