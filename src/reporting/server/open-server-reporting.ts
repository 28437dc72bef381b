import { hostname } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Refusals } from "#bounds";
import { codeAddressesOf, messageOf } from "#errors";
import { digestOf, jsonItem, newEventId, writeDsn, writeEnvelope } from "#protocol";
import type { ErrorPlace, Receipt, ServerSignals } from "#signals";
import type { Deliver } from "../delivery.ts";
import type { BrowserSettings } from "../early-errors.ts";
import { reportingErrors } from "../errors.ts";
import type { ReportingLimits } from "../limits.ts";
import { LossCounter } from "../loss-counter.ts";
import { setReporter } from "../report-api.ts";
import { type ErrorContext, type Report, reportError } from "../report-error.ts";
import { createScrub } from "../scrub/scrub.ts";
import { serverSdk } from "../sdk.ts";
import { defaultSampleRate, defaultTunnelPath, type ReportSettings } from "../settings.ts";
import type { Identity } from "../trace/identity.ts";
import { CacheCounts } from "./cache-counts.ts";
import { describeObject } from "./describe-object.ts";
import { dsnOfSettings } from "./dsn-of-settings.ts";
import { reportEarlyPosts } from "./early-posts.ts";
import { earlyScript } from "./early-script.ts";
import { errorContextOf } from "./error-context.ts";
import { keepFeedback, type PostedFeedback } from "./keep-feedback.ts";
import { keepNote } from "./keep-note.ts";
import { ServerLedger } from "./ledger.ts";
import { ledgerLimits } from "./ledger-limits.ts";
import { createLogPaths } from "./log-paths.ts";
import { deliverByHttp } from "./outbox/deliver-by-http.ts";
import { Deliveries } from "./outbox/deliveries.ts";
import { Outbox } from "./outbox/outbox.ts";
import { openOutboxFolder } from "./outbox/outbox-folder.ts";
import { readGitCommit } from "./release.ts";
import { requestScope } from "./request-context.ts";
import { runTask, type TaskEnd, type TaskFacts } from "./run-task.ts";
import { createSampling } from "./sampling.ts";
import { SeenErrors } from "./seen-errors.ts";
import { serverReportApi } from "./server-report-api.ts";
import { traceHit, traceRequest } from "./trace-request.ts";
import { createTunnel, type Tunnel } from "./tunnel.ts";
import { reportStall } from "./watch/report-stall.ts";
import type { StallWatcher } from "./watch/stall-watcher.ts";
import { watchCalls } from "./watch/watch-calls.ts";
import { watchPostgres } from "./watch/watch-postgres.ts";
import { watchSqlite } from "./watch/watch-sqlite.ts";
import { watchStalls } from "./watch/watch-stalls.ts";

export interface ServerReportingOptions {
  settings: ReportSettings;
  /** Folder of reports that wait for delivery. */
  folder: string;
  /** The application's folder. If the build has no release, its git commit names one. */
  root: string;
  build: string | undefined;
  /** Release that the build has recorded. */
  release?: string | undefined;
  /** Delivers to the service in this process, unless a DSN names another. */
  deliver: Deliver | undefined;
  /** The first envelope for a DSN is sent when it resolves. They wait on disk until then. */
  beforeDelivery?: Promise<void> | undefined;
  /** Whether a DSN names the application's own project in that service. */
  isOwnDsn?: (dsn: string) => boolean;
  /** Routes of the framework with a secret parameter, which no application lists. */
  ownRoutes?: readonly string[];
  /** Watches this thread while it is blocked. */
  stallWatcher: StallWatcher;
  limits: ReportingLimits;
  /** Counts reports that the tunnel refuses because a shared limit is reached. */
  refusals?: Refusals;
  /** Milliseconds since 1970, with fractions. */
  now: () => number;
  warn: (text: string) => void;
}

export interface ServerReporting {
  signals: ServerSignals;
  /** Release in the application's reports. */
  release: string | undefined;
  /**
   * Script that runs first in every document: stores early errors and passes the reporter its settings. The text is
   * constant while the server runs.
   */
  headScript: string;
  /** The signals of another build in this process: its traces and errors belong to its release. */
  signalsOf(release: string): ServerSignals;
  /** The same for documents of another build, whose browser errors belong to its release. */
  headScriptOf(release: string): string;
  /** Receives the reports of browsers. */
  tunnel: Tunnel;
  /** Removes credentials from a path for a log. */
  logPath(path: string): string;
  /** Removes secrets from a text for a log. */
  logText(text: string): string;
  /** Removes secrets from plain JSON, by the rules for reports. */
  hide(value: unknown): unknown;
  /** Stores a visitor's note about the error whose digest they saw. */
  keepNote(digest: string, note: string): Promise<"kept" | "no-digest" | "no-room">;
  /** Runs a scheduled task: traced, its failure reported, its start and end checked in. Never rejects. */
  runTask(facts: TaskFacts, run: () => Promise<void>): Promise<TaskEnd>;
  /** Stores what a visitor wrote on a page that is not broken. */
  keepFeedback(posted: PostedFeedback): Promise<"kept" | "no-text" | "no-room">;
  /** Resolves when all errors reported so far are delivered, however long that takes. */
  delivered(): Promise<void>;
  /** Delivers what it can within a moment; the rest waits on disk for the next start. */
  close(): Promise<void>;
}

/**
 * Turns the server's signals into envelopes. Never throws into the application, and never makes a page wait for a
 * service.
 */
export function openServerReporting(options: ServerReportingOptions): ServerReporting {
  const { settings, limits, now } = options;
  const warn = onceAMinute(options.warn, now);
  const losses = new LossCounter();
  const target = targetOf(options);
  const identity = identityOf(options, target.publicKey);
  const scrub = createScrub({ rules: settings.scrub ?? [], keepAddresses: settings.sendDefaults ?? false });
  // A visitor who writes a mail address into a note wants a reply.
  const forNotes = createScrub({ rules: settings.scrub ?? [], keepAddresses: true });
  const logPaths = createLogPaths(scrub.isSecretName, options.ownRoutes);
  const reporterDeps = { identity, limits, scrub, losses, isFrameworkFile, describeObject };
  const outbox = new Outbox({
    folder: openOutboxFolder(options.folder),
    limits,
    losses,
    now,
    diskFailed: (why) => warn(reportingErrors.diskFails(options.folder, messageOf(why)).message),
  });
  const deliveries =
    target.deliver && openDeliveries({ ...target, deliver: target.deliver }, { outbox, losses }, options);
  const ledger = new ServerLedger({
    folder: path.join(options.folder, "ledger"),
    deliver: target.deliver,
    limits: ledgerLimits,
    waitingSince: () => outbox.errorsWaitSince,
    now,
  });
  // With this, `process.exit` loses no earlier report.
  const processEnds = (): void => outbox.flushNow();
  process.once("exit", processEnds);
  const lossTimer = setInterval(() => reportLosses(outbox, losses, now()), limits.reportLossesMs).unref();

  const keepReport = (report: Report): Receipt => {
    if (report.kind === "left-out") return { kind: "unrecorded" };
    const result = outbox.keep("errors", "error", report.envelope);
    if (result.kind === "full") return { kind: "unrecorded" };
    return { kind: "recorded", eventId: report.eventId, digest: digestOf(report.eventId), durable: result.durable };
  };
  const seen = new SeenErrors();
  const errorCaught = (error: unknown, place: ErrorPlace): Receipt => {
    const request = requestScope.getStore()?.request;
    return seen.receiptFor(error, request, () => {
      const mechanism = { type: `auto.holdfast.${place.during}`, handled: false };
      const receipt = keepReport(
        reportError(
          error,
          { mechanism, place, context: contextOfPlace(place, errorContextOf(now(), settings)) },
          { ...reporterDeps, identity: withSubmission(identity, place) },
        ),
      );
      return isShown(place) ? inBooks(receipt, place, now(), ledger) : receipt;
    });
  };
  const send = (envelope: Uint8Array): void => {
    outbox.keep("rest", "transaction", envelope);
  };
  const sampling = createSampling(settings, limits.tracesPerSecond);
  const cacheCounts = new CacheCounts({
    identity,
    sendMs: limits.cacheCountsMs,
    now,
    send: (envelope) => outbox.keep("rest", "trace_metric", envelope),
  });
  const cached = cacheCounts.note.bind(cacheCounts);
  const trace = { sampling, identity, limits, scrub, losses, now, send, cached };
  const hitTrace = { ...trace, sampling: createSampling(settings, limits.hitTracesPerSecond) };
  const reportApi = serverReportApi({ reporterDeps, settings, now, outbox, keepReport, seen });
  const stopWatching = [
    setReporter(reportApi),
    watchCalls({ identity, scrub, now, targets: settings.targets ?? [] }),
    watchSqlite(now),
    watchPostgres(now),
    watchStalls(limits, now, options.stallWatcher, (stall) => keepReport(reportStall(stall, now(), reporterDeps))),
  ];

  const signals: ServerSignals = {
    routesKnown: (ids) => {
      scrub.learnRoutes(ids);
      logPaths.learnRoutes(ids);
    },
    request: (facts, run) => traceRequest(facts, run, trace),
    hit: (facts, hit) => traceHit(facts, hit, hitTrace),
    errorCaught: (error, place) => {
      try {
        return errorCaught(error, place);
      } catch (failure) {
        warn(reportingErrors.reporterFailed(messageOf(failure)).message);
        losses.add("internal_sdk_error", "error");
        return { kind: "unrecorded" };
      }
    },
    submissionTaken: (facts) => ledger.take(facts),
  };
  const signalsOf = (release: string): ServerSignals => {
    const ofRelease = { identity: { ...identity, release } };
    const [traceOfRelease, hitOfRelease] = [
      { ...trace, ...ofRelease },
      { ...hitTrace, ...ofRelease },
    ];
    return {
      ...signals,
      request: (facts, run) => traceRequest(facts, run, traceOfRelease),
      hit: (facts, hit) => traceHit(facts, hit, hitOfRelease),
      errorCaught: (error, place) => signals.errorCaught(error, { ...place, release }),
    };
  };

  return {
    signals,
    signalsOf,
    release: identity.release,
    logPath: logPaths.clean,
    logText: (text) => scrub.text(text),
    hide: (value) => scrub.value(value),
    headScript: earlyScript(browserSettings(settings, identity)),
    headScriptOf: (release) => earlyScript(browserSettings(settings, { ...identity, release })),
    tunnel: createTunnel({
      path: settings.tunnelPath ?? defaultTunnelPath,
      isOwnDsn: settings.dsn === undefined ? (options.isOwnDsn ?? (() => false)) : (dsn) => dsn === settings.dsn,
      limits,
      refusals: options.refusals ?? new Refusals(),
      scrub,
      losses,
      outbox,
      ledger,
      now,
      sendsAddress: settings.sendDefaults ?? false,
      build: options.build,
      takeEarly: async (posted, userAgent) => {
        const receipts = reportEarlyPosts(posted, userAgent, now(), reporterDeps).map(keepReport);
        await Promise.all(receipts.map((receipt) => receipt.kind === "recorded" && receipt.durable));
      },
    }),
    runTask: (facts, run) => runTask(facts, run, { ...trace, outbox, errorCaught }),
    keepNote: (digest, note) => keepNote({ outbox, identity, now }, digest, forNotes.text(note)),
    keepFeedback: (posted) => keepFeedback({ outbox, identity, losses, now, scrub, scrubWords: forNotes }, posted),
    delivered: async () => deliveries?.errorsDelivered(),
    close: async () => {
      clearInterval(lossTimer);
      for (const stop of stopWatching) stop();
      reportApi.flushLogs();
      cacheCounts.flush();
      reportLosses(outbox, losses, now());
      await deliveries?.stop(limits.exitMs);
      await Promise.race([ledger.close(), new Promise((resolve) => setTimeout(resolve, limits.exitMs).unref())]);
      await outbox.close();
      process.off("exit", processEnds);
    },
  };
}

/** Says that what was sent is kept, also to a service elsewhere that cannot look. Browsers keep nothing. */
function withSubmission(identity: Identity, { keptAction, route }: ErrorPlace): Identity {
  if (keptAction === undefined) return identity;
  return { ...identity, contexts: { ...identity.contexts, submission: { kept: true, route, action: keptAction } } };
}

/**
 * Never leaves out an error whose visitor saw anything but the requested page, and marks one that ends the process as
 * fatal.
 */
function contextOfPlace(place: ErrorPlace, errorContext: ErrorContext): ErrorContext {
  return {
    ...errorContext,
    ...(isShown(place) && { promisedId: place.eventId ?? newEventId() }),
    ...(place.during === "uncaught" && { level: "fatal" }),
  };
}

function isShown({ visitorSaw }: ErrorPlace): boolean {
  return visitorSaw !== undefined && visitorSaw !== "page" && visitorSaw !== "nothing";
}

/** Enters an error page into the ledger. The page waits for both files: that of the event and that of its entry. */
function inBooks(receipt: Receipt, { route = "" }: ErrorPlace, atMs: number, ledger: ServerLedger): Receipt {
  const page = { atMs, route, side: "server" } as const;
  if (receipt.kind === "recorded") {
    const entered = ledger.add([{ ...page, digest: receipt.digest }]);
    return { ...receipt, durable: Promise.all([receipt.durable, entered]).then(() => undefined) };
  }
  // The page has no digest. The entry needs one of its own.
  void ledger.add([{ ...page, digest: digestOf(newEventId()), cause: "cache_overflow" }]);
  return receipt;
}

interface Target {
  deliver: Deliver | undefined;
  /** Name for people. */
  name: string;
  publicKey: string | undefined;
}

function targetOf({ settings, deliver, beforeDelivery, limits, now, warn }: ServerReportingOptions): Target {
  if (settings.dsn === undefined) return { deliver, name: "the embedded service", publicKey: undefined };
  const dsn = dsnOfSettings(settings);
  if (!dsn) {
    warn(reportingErrors.wrongDsn(settings.dsn).message);
    return { deliver: undefined, name: "nowhere", publicKey: undefined };
  }
  const deliverToDsn = deliverByHttp({ dsn, sdk: serverSdk, withinMs: limits.deliveryMs, now });
  return {
    deliver: async (envelope) => {
      await beforeDelivery;
      return deliverToDsn(envelope);
    },
    name: new URL(writeDsn(dsn)).host,
    publicKey: dsn.publicKey,
  };
}

function identityOf(
  { settings, root, build, release }: ServerReportingOptions,
  publicKey: string | undefined,
): Identity {
  return {
    sdk: serverSdk,
    platform: "node",
    release: settings.release ?? release ?? readGitCommit(root) ?? build,
    environment: settings.environment ?? process.env.NODE_ENV ?? "production",
    serverName: hostname(),
    publicKey,
    contexts: {
      runtime: { name: "node", version: process.version },
      app: { app_start_time: new Date(Date.now() - process.uptime() * 1_000).toISOString(), build },
    },
  };
}

function browserSettings(settings: ReportSettings, identity: Identity): BrowserSettings {
  const { sampleRate = defaultSampleRate, targets, tunnelPath = defaultTunnelPath } = settings;
  return {
    to: tunnelPath,
    release: identity.release,
    environment: identity.environment,
    rate: typeof sampleRate === "number" ? sampleRate : undefined,
    targets: targets?.map(String),
    ...(URL.canParse(tunnelPath) && {
      scrub: settings.scrub?.map(String),
      keepAddresses: settings.sendDefaults === true || undefined,
    }),
  };
}

function openDeliveries(
  { deliver, name }: { deliver: Deliver; name: string },
  { outbox, losses }: { outbox: Outbox; losses: LossCounter },
  { limits, now, warn }: ServerReportingOptions,
): Deliveries {
  return new Deliveries({
    outbox,
    deliver,
    limits,
    losses,
    now,
    changed: (state, why) =>
      warn(state === "failing" ? reportingErrors.deliveryFails(name, why).message : `Reports arrive at ${name} again.`),
  });
}

/** Reports losses to the service. */
function reportLosses(outbox: Outbox, losses: LossCounter, nowMs: number): void {
  if (losses.isEmpty) return;
  outbox.keep("rest", "internal", writeEnvelope({}, [jsonItem("client_report", losses.take(nowMs))]));
}

/** With source maps, a stack of the built package names its sources. */
const frameworkFolders = codeAddressesOf(import.meta.url).map((address) => fileURLToPath(address));

function isFrameworkFile(file: string): boolean {
  return frameworkFolders.some((folder) => file.startsWith(folder));
}

function onceAMinute(warn: (text: string) => void, now: () => number): (text: string) => void {
  const last = new Map<string, number>();
  return (text) => {
    const code = /\[([\w-]+)\]$/.exec(text)?.[1] ?? text;
    if (now() - (last.get(code) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    last.set(code, now());
    warn(text);
  };
}
