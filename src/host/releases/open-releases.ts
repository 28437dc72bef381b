import type { IncomingMessage } from "node:http";
import { isOwnNetwork } from "#bounds";
import type { ChannelRelay, HandlerOptions, PageHandler } from "#pages";
import { type ServerReporting, serverSdk } from "#reporting";
import type { ServerSignals } from "#signals";
import { type BrowserFiles, openBrowserFiles } from "../browser-files.ts";
import { contentPolicyOf } from "../content-policy.ts";
import { hostLimitsOf, limitsThatHold } from "../limit-settings.ts";
import type { Served } from "../served.ts";
import { BuildBefore } from "./build-before.ts";
import type { BuildChoice } from "./healing-record.ts";
import { healingLimits } from "./limits.ts";
import { isCause, isPin, isSafeKey } from "./release-folder.ts";
import { lineToSelf } from "./release-line.ts";
import type {
  FromKeeper,
  KeptBuild,
  PinnedRoute,
  ReleaseLine,
  RouteDecision,
  ServedRelease,
  ToKeeper,
} from "./release-messages.ts";
import { ReleaseNotice, sentenceOf } from "./release-notice.ts";
import { pinRoute, type ReleaseStatus, readReleaseStatus } from "./release-status.ts";
import { RouteCounter } from "./route-counter.ts";
import { HealingWatch, trialScope } from "./route-watch.ts";
import { splitRelay } from "./split-relay.ts";

export interface ReleasesDeps {
  dataFolder: string;
  reporting: Pick<ServerReporting, "release" | "signals" | "signalsOf" | "headScriptOf">;
  clientOf: (incoming: IncomingMessage) => string;
  isProxy: (address: string) => boolean;
  relay: ChannelRelay | undefined;
  /** To the process that decides; without it, this one does. */
  line: ReleaseLine | undefined;
  warn: (sentence: string, error?: unknown) => void;
}

/** What watches the routes of a release, and heals them. */
export interface Releases {
  /** Options of the served build's pages. */
  optionsOf(options: HandlerOptions): HandlerOptions;
  /** From now on a route can be healed. Resolves when it is known which routes are. */
  open(pages: PageHandler, options: HandlerOptions): Promise<void>;
  /** The files of this build, then those of the build before. */
  files: BrowserFiles;
  /** For operators: which build answers which route. Undefined before the first request. */
  status(): Promise<ReleaseStatus | undefined>;
  /** Chooses the build that answers a route, here and on the machines that share a store. */
  pin(route: string, to: BuildChoice | undefined): Promise<void>;
  close(time: { endsAt: number }): Promise<void>;
}

/** A decision that comes late must not keep a server from starting. */
const readyMs = 2_000;

/** Undefined if `releases.healing` is off, in development, and beside the server that visitors reach. */
export function openReleases(served: Served, deps: ReleasesDeps): Releases | undefined {
  const release = releaseOf(served, deps.reporting.release);
  if (!release) return undefined;
  const { key } = release;
  const { dataFolder, reporting, clientOf, isProxy, warn } = deps;
  const line = deps.line ?? lineToSelf({ dataFolder, now: Date.now, warn });
  const relay = splitRelay(deps.relay);
  let pages: PageHandler | undefined;
  let before: BuildBefore | undefined;
  let beforeFiles: BrowserFiles | undefined;
  let optionsForBefore: HandlerOptions | undefined;
  const known = Promise.withResolvers<void>();
  const counter = new RouteCounter({
    limits: healingLimits,
    isShared: (address) => isOwnNetwork(address) || isProxy(address),
    send: (counts) => line.send({ kind: "release-counts", key, counts }),
  });
  const watch = new HealingWatch({
    counter,
    clientOf,
    limits: healingLimits,
    pages: () => {
      if (!pages) throw new Error("A route is tried before the pages are open.");
      return pages;
    },
    onUnusable: (route, why) => line.send({ kind: "release-unusable", key, route, why }),
  });

  const openBefore = async (build: KeptBuild): Promise<void> => {
    if (before || !pages || !optionsForBefore || release.healing !== "heal") return;
    const { headers = {} } = served.config;
    // None if there is no copy.
    beforeFiles = await openBrowserFiles(build.folder, { headers }).catch(() => undefined);
    // Its documents name the files of its own CDN.
    const csp = contentPolicyOf({ ...served, files: { assets: beforeFiles?.assets } });
    const options = {
      ...optionsForBefore,
      policy: { ...optionsForBefore.policy, csp },
      signals: reporting.signalsOf(build.name),
      headStart: reporting.headScriptOf(build.name),
      relay: relay.before,
      watch: watch.ofBefore,
    };
    const { startMs } = hostLimitsOf(served.config.limits);
    before = new BuildBefore({ build, root: served.root, options, current: pages, startMs, warn });
  };
  const receive = async (message: FromKeeper): Promise<void> => {
    if (message.key !== key) return;
    if (message.kind === "release-changed") return report(message);
    if (message.before) await openBefore(message.before);
    if (before) watch.heal(before, message.routes);
    known.resolve();
  };
  const report = ({ before: build, decision, notice }: Extract<FromKeeper, { kind: "release-changed" }>): void => {
    const names = { route: decision.route, release: release.name, before: build?.name ?? "none" };
    warn(sentenceOf(notice, names));
    if (notice.kind === "healed" || notice.kind === "not-healed") {
      // The request that was decisive may be one of the build before.
      const place = { route: decision.route, release: release.name, groupedBy: `release ${key} ${decision.route}` };
      const error = new ReleaseNotice(sentenceOf(notice, names));
      reporting.signals.errorCaught(error, { side: "server", during: "release", visitorSaw: "nothing", ...place });
    }
    if (build) relay.send(JSON.stringify({ key, before: build.key, decision }));
  };
  // One after the other: opening files takes longer than the next message.
  let received = Promise.resolve();
  line.listen((message) => {
    received = received.then(() => receive(message));
  });

  return {
    optionsOf: (options) => ({ ...options, watch, relay: relay.current, signals: signalsOfTrials(options.signals) }),
    open: async (opened, options) => {
      pages = opened;
      optionsForBefore = options;
      line.send({ kind: "release-served", release });
      if (deps.relay && release.healing === "heal")
        relay.listen((text) => {
          const message = readFromMachine(text);
          if (message?.key === key) line.send(message);
        });
      const late = new Promise<void>((resolve) => void setTimeout(resolve, readyMs).unref());
      await Promise.race([known.promise, late]);
    },
    files: {
      build: served.files.build,
      has: (url) => served.files.has(url) || (beforeFiles?.has(url) ?? false),
      serve: (incoming, response, leave) =>
        served.files.serve(incoming, response, leave) || (beforeFiles?.serve(incoming, response, leave) ?? false),
    },
    status: () => readReleaseStatus(dataFolder),
    pin: async (route, to) => {
      const written = await pinRoute(dataFolder, { route, to, now: Date.now() });
      relay.send(JSON.stringify(written));
    },
    close: async (time) => {
      counter.close();
      await before?.close(time);
      await line.close();
    },
  };
}

function releaseOf(served: Served, name: string | undefined): ServedRelease | undefined {
  const { release: key, buildFolder, config, development, isPrivate, files } = served;
  const { healing = "warn", data = "" } = config.releases ?? {};
  if (healing === "off" || development || isPrivate || buildFolder === undefined) return undefined;
  if (key === undefined || !isSafeKey(key)) return undefined;
  const { healedSeconds, keptBuildBytes } = limitsThatHold(config.limits);
  return {
    key,
    name: name ?? key,
    build: files.build,
    holdfast: serverSdk.version,
    data,
    healing,
    dist: buildFolder,
    firstWaitMs: healedSeconds * 1_000,
    buildBytes: keptBuildBytes,
  };
}

function signalsOfTrials(signals: ServerSignals): ServerSignals {
  return {
    routesKnown: (routes) => signals.routesKnown(routes),
    request: (facts, run) => signals.request(facts, run),
    hit: signals.hit,
    submissionTaken: (facts) => signals.submissionTaken(facts),
    errorCaught: (error, place) =>
      signals.errorCaught(error, trialScope.getStore() ? { ...place, visitorSaw: "nothing" } : place),
  };
}

/** Of another machine: a decision, or the choice of an operator. */
function readFromMachine(
  text: string,
): Extract<ToKeeper, { kind: "release-adopt" } | { kind: "release-pin" }> | undefined {
  try {
    const { key, before, decision, pinned } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (typeof key !== "string" || typeof before !== "string") return undefined;
    if (isPinned(pinned)) return { kind: "release-pin", key, before, pinned };
    return isDecision(decision) ? { kind: "release-adopt", key, before, decision } : undefined;
  } catch {
    return undefined;
  }
}

function isDecision(value: unknown): value is RouteDecision {
  const { route, answers, heals, cause } = Object(value) as Partial<Record<keyof RouteDecision, unknown>>;
  const isChoice = answers === "new" || answers === "before";
  return typeof route === "string" && isChoice && typeof heals === "number" && (cause === undefined || isCause(cause));
}

function isPinned(value: unknown): value is PinnedRoute {
  const { route, pin } = Object(value) as Partial<Record<keyof PinnedRoute, unknown>>;
  return typeof route === "string" && (pin === undefined || isPin(pin));
}
