import { existsSync } from "node:fs";
import path from "node:path";
import { messageOf } from "#errors";
import { gateLimitsOf, readConfig } from "#host";
import { issuesToReplay, openReader, type StoreReader, systemClock } from "#service";
import { cliErrors } from "../errors.ts";
import { isSafe } from "../replay/send-past-request.ts";
import { startPrivately } from "../replay/start-privately.ts";
import { attributeFailure, type CaughtError, readFiledFailures } from "./attribute-failures.ts";
import { decideOutcome, type GateOutcome, type Replay, stops } from "./decide.ts";
import { digestOfEvent, type PlannedIssue, planReplay, requestText } from "./plan-replays.ts";
import { replayHeader, replayRequests, type SentReplay } from "./replay-requests.ts";

export interface GateOptions {
  /** The application's folder, with its build. */
  root: string;
  /** The data folder of the application or of its service; undefined for the usual one. */
  dataFolder: string;
  /** Whether `--data` has named that folder. */
  isDataNamed: boolean;
  project: number;
  writes: boolean;
}

export interface GateReport {
  verdict: "passed" | "stopped";
  release: string | undefined;
  /** Uncaught exceptions of the new build, which would have ended its process. */
  crashes: readonly string[];
  issues: readonly GatedIssue[];
}

export interface GatedIssue {
  number: number;
  title: string;
  route: string | undefined;
  claim: "fixed" | "open";
  /** Events in the last days. */
  events: number;
  /** `GET /orders/7`; absent if no event has one. */
  request: string | undefined;
  /** Digest of the event whose request it is. */
  event: string | undefined;
  outcome: GateOutcome;
}

/** Replays the requests of known issues against the new build, and decides. Throws if that is impossible. */
export async function runGate(options: GateOptions): Promise<GateReport> {
  const config = await readConfig(options.root);
  const limits = gateLimitsOf(config.limits);
  const store = await openRealStore(options, config);
  const crashes = watchCrashes();
  const caught = new Map<number, CaughtError>();
  try {
    await using build = await startPrivately(options.root, {
      onError: ({ headers }, error, digest) => {
        const index = Number(headers[replayHeader] ?? Number.NaN);
        if (!caught.has(index)) caught.set(index, { error, digest });
      },
    });
    const question = { project: options.project, release: build.release, atMost: limits.issues };
    const planned: PlannedIssue[] = [];
    for (const issue of await issuesToReplay({ store, now: systemClock.now() }, question))
      planned.push(await planReplay(store, issue, options));
    const sending = planned.flatMap((one) => (one.plan.kind === "send" ? { ...one, event: one.plan.event } : []));
    const sent = await replayRequests(
      sending.map(({ event }) => event),
      { to: build.url, limits, elapsed: systemClock.elapsed },
    );
    const filed = await readFiledFailures(build.dataFolder, [...caught.values()]);
    const replays = new Map<number, Replay>();
    for (const [index, one] of sending.entries()) {
      const error = caught.get(index);
      const failure = error && filed.get(error);
      const found = failure && (await attributeFailure(store, failure, one, question));
      replays.set(one.issue.id, withFailure(sent[index], found));
    }
    const issues = planned.map((one) => gated(one, replays.get(one.issue.id)));
    const isStopped = crashes.messages.length > 0 || issues.some(({ outcome }) => stops(outcome));
    return { verdict: isStopped ? "stopped" : "passed", release: build.release, crashes: crashes.messages, issues };
  } finally {
    crashes.close();
    store.close();
  }
}

type FoundFailure = Awaited<ReturnType<typeof attributeFailure>>;

function withFailure(sent: SentReplay | undefined, failure: FoundFailure | undefined): Replay {
  if (!sent) return { kind: "not-sent", why: "it was not sent" };
  return sent.kind === "answered" || sent.kind === "cut" ? { ...sent, failure } : sent;
}

function gated({ issue, claim, events, plan }: PlannedIssue, replay: Replay | undefined): GatedIssue {
  const { event } = plan;
  const { number, type, title, route } = issue;
  return {
    number,
    title: type === undefined ? title : `${type}: ${title}`,
    route,
    claim,
    events,
    request: event && requestText(event),
    event: event && digestOfEvent(event),
    outcome: decideOutcome({
      number,
      claim,
      isWrite: event !== undefined && !isSafe(event.method),
      replay: replay ?? { kind: "not-sent", why: plan.kind === "skip" ? plan.why : "it was not sent" },
    }),
  };
}

/** Opens the store of the server in service for reading, whether that server runs or not. */
async function openRealStore(
  { dataFolder, isDataNamed }: GateOptions,
  config: Awaited<ReturnType<typeof readConfig>>,
): Promise<StoreReader> {
  if (config.report?.dsn !== undefined && !isDataNamed) throw cliErrors.gateReportsElsewhere();
  const embedded = path.join(dataFolder, "data");
  // A service on its own has no folder of an application around its data.
  const folder = existsSync(embedded) ? embedded : dataFolder;
  const database = config.store ?? process.env.HOLDFAST_STORE ?? "";
  if (database === "" && !existsSync(path.join(folder, "store"))) throw cliErrors.gateWithoutStore(dataFolder);
  return openReader(folder, database);
}

/** In service, an uncaught exception would end the process, and a rejection would be recorded. */
function watchCrashes(): { messages: string[]; close(): void } {
  const messages: string[] = [];
  const onException = (error: unknown): void => void messages.push(messageOf(error));
  const onRejection = (): void => undefined;
  process.on("uncaughtException", onException).on("unhandledRejection", onRejection);
  return {
    messages,
    close: () => process.off("uncaughtException", onException).off("unhandledRejection", onRejection),
  };
}
