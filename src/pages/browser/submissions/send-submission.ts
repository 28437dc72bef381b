import {
  attemptField,
  cancelField,
  keyField,
  type OutcomeLine,
  outcomeSuffix,
  pageDataSuffix,
} from "../../page-data.ts";
import { fromTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { BrowserClock } from "../clock.ts";
import type { fitsPageData, readDataLines } from "../data/fetch-page-data.ts";
import { LateReceiver } from "../data/late-promises.ts";
import { type KnownRoutes, type PageAnswer, readDataAnswer, readPreamble } from "../data/page-answer.ts";
import type { KnownPage } from "../data/shown-loads.ts";
import { nothing } from "./sent-submission.ts";
import type { UploadMeter } from "./upload.ts";

/** Events of one submission's response, in order. `lost` may occur at any point. */
export type SubmissionAnswer =
  | { kind: "alive" }
  /** `text` as it arrived, to keep it over a full load. `build` is the server's. */
  | { kind: "outcome"; line: OutcomeLine; text: string; build: string }
  /** Undefined if the response has no page that could be shown. */
  | { kind: "page"; page: PageAnswer | undefined }
  | { kind: "lost" };

export interface SubmissionRequest {
  /** Address of the action. */
  url: string;
  headers: Record<string, string>;
  body: FormData;
  /** The browser completes the request even after the document is gone. Browsers accept only small bodies for this. */
  keepalive: boolean;
  /** Gets the share of a large body that has left. */
  meter: UploadMeter;
  /** The page on screen, if the response may leave out some of its data. */
  known?: KnownPage | undefined;
}

export interface SendDeps {
  parts: { build: string; routes: KnownRoutes };
  clock: BrowserClock;
  /** Injected, because these functions are in the bundle that loaded this one. */
  fitsPageData: typeof fitsPageData;
  linesOf: typeof readDataLines;
}

/**
 * Sends a form and reads the lines of its response as they arrive. Has no deadline of its own. Returns a function that
 * stops listening.
 */
export function sendSubmission(
  { url, keepalive, meter, known, ...request }: SubmissionRequest,
  deps: SendDeps,
  onEvent: (answer: SubmissionAnswer) => void,
): () => void {
  const stop = new AbortController();
  const late = new LateReceiver();
  const init = { method: "POST", ...request, keepalive, redirect: "manual", signal: stop.signal } as const;
  const emit = (answer: SubmissionAnswer): void => {
    if (!stop.signal.aborted) onEvent(answer);
  };
  const read = async (): Promise<void> => {
    // Only a large body has a progress. Without the code for it, it is sent all the same.
    const large = keepalive ? undefined : await import("./upload.ts").catch(nothing);
    const address = below(url, (known?.path ?? "") + pageDataSuffix);
    const response = await (large ? large.upload(address, init, meter, emit) : fetch(address, init));
    if (deps.fitsPageData(response)) await readLines(response, { ...deps, known }, late, emit);
  };
  read()
    // The connection broke, or a line is not JSON.
    .catch(nothing)
    .finally(() => {
      emit({ kind: "lost" });
      late.end();
    });
  return () => stop.abort();
}

async function readLines(
  response: Response,
  { parts: { build, routes }, clock, linesOf, known }: SendDeps & Pick<SubmissionRequest, "known">,
  late: LateReceiver,
  emit: (answer: SubmissionAnswer) => void,
): Promise<void> {
  const sentAt = clock.now();
  const alive = (): void => emit({ kind: "alive" });
  let preamble: ReturnType<typeof readPreamble>;
  let step: "outcome" | "page" | "late" = "outcome";
  for await (const text of linesOf(response, alive)) {
    if (text === "") continue;
    const value: unknown = JSON.parse(text);
    if (preamble === undefined) {
      preamble = readPreamble(value);
      if (preamble === undefined) return;
    } else if (step === "outcome") {
      const line = readOutcome(text);
      if (line === undefined) return;
      step = "page";
      emit({ kind: "outcome", line, text, build: preamble.build });
    } else if (step === "page" && preamble.build === build) {
      step = "late";
      const head = preamble;
      const readLine = (line: string) => readDataAnswer(line, head, routes, late);
      const answer = known ? known.complete(text, readLine) : readLine(text);
      if (answer?.kind === "page") answer.sentAt = sentAt;
      const isShown = answer?.kind === "page" && answer.status < 500;
      emit({ kind: "page", page: isShown ? answer : undefined });
    } else late.take(value);
  }
}

/** Reads the outcome of a submission, written by this build or another one. */
export function readOutcome(text: string): OutcomeLine | undefined {
  const line: unknown = JSON.parse(text);
  if (typeof line !== "object" || line === null || !("v" in line) || line.v !== 1 || !("outcome" in line))
    return undefined;
  const outcome = fromTagged(line.outcome, undefined);
  return isOutcome(outcome) ? ({ ...line, outcome } as OutcomeLine) : undefined;
}

function isOutcome(value: unknown): value is SubmissionOutcome {
  const kind = typeof value === "object" && value !== null && "kind" in value && value.kind;
  return kind === "done" || kind === "invalid" || kind === "redirected" || kind === "failed";
}

export type OutcomeReply =
  | { state: "running" | "not-seen" | "cannot-say" | "unreachable" }
  | { state: "ended"; line: OutcomeLine; text: string };

/** Asks the server for the outcome of a submission. Runs no action. */
export async function fetchOutcome(
  url: string,
  { key, attempt, cancel }: { key: string; attempt: number; cancel: boolean },
  timeoutMs: number,
): Promise<OutcomeReply> {
  const body = new URLSearchParams({ [keyField]: key, [attemptField]: `${attempt}` });
  if (cancel) body.set(cancelField, "1");
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(below(url, outcomeSuffix), { method: "POST", body, signal });
    const text = await response.text();
    // Sent by a proxy or by the sign-in page of a network, not by our server, which may be reachable later.
    if (response.status >= 500 || (response.ok && !isJson(response))) return { state: "unreachable" };
    const { state } = JSON.parse(text);
    const line = state === "ended" ? readOutcome(text) : undefined;
    if (line) return { state, line, text };
    return { state: state === "running" || state === "not-seen" ? state : "cannot-say" };
  } catch (error) {
    // A response that is not JSON comes from a server that does not know this endpoint.
    return { state: error instanceof SyntaxError ? "cannot-say" : "unreachable" };
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true;
}

function below(address: string, suffix: string): URL {
  const url = new URL(address);
  url.pathname += suffix;
  return url;
}
