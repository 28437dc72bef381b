import { isStatic, slashes } from "#routes/href";
import type { FullLoadReason } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import { type Preamble, pageDataFile, pageDataSuffix, pageDataType } from "../../page-data.ts";
import type { BrowserClock } from "../clock.ts";
import { LateReceiver } from "./late-promises.ts";
import { type DataAnswer, type KnownRoutes, readDataAnswer, readPreamble } from "./page-answer.ts";
import type { KnownPage, OmittedData } from "./shown-loads.ts";

/**
 * Events of one page-data request, in order: progress, response, end. `failed` may occur at any point and is the last.
 */
export type PageDataEvent =
  | { kind: "alive" }
  | { kind: "answered"; answer: DataAnswer; preamble: Preamble }
  /** The whole body has arrived, late parts included. `bytes` counts characters of decoded text. */
  | { kind: "ended"; bytes: number }
  /** The server is overloaded: no prefetches for this long. */
  | { kind: "slow-down"; ms: number }
  | { kind: "failed"; reason: FullLoadReason };

export interface DataRequest {
  /** Address of the page, without hash. */
  url: string;
  headers: Record<string, string>;
  prefetch: boolean;
  /** `layouts` unless given. */
  without?: OmittedData | undefined;
}

export interface FetchDeps {
  fetch: typeof fetch;
  clock: BrowserClock;
  limits: Pick<BrowserLimits, "routeLoadMs" | "navigationCapMs" | "prefetchBackOffMs">;
  setTimer(run: () => void, ms: number): () => void;
  build: string;
  routes: KnownRoutes;
  /** The `Freshness` clock when the request was made. */
  asOf: number;
  /** The page on screen, if the response may leave out some of its data. */
  known?: KnownPage | undefined;
}

/**
 * Requests a page's data and reads its lines as they arrive. Reports everything through `onEvent` and never throws.
 * Nothing is reported after `failed`, `ended` or a call of the returned abort. The time limit counts from the last byte
 * until the end of the late parts: the server sends empty lines until then.
 */
export function fetchPageData(
  request: DataRequest,
  deps: FetchDeps,
  onEvent: (event: PageDataEvent) => void,
): () => void {
  const stop = new AbortController();
  const late = new LateReceiver();
  const { limits, clock } = deps;
  let lastByteAt = clock.now();
  let over = false;
  let cancelTimer = (): void => undefined;

  const finish = (event?: PageDataEvent): void => {
    if (over) return;
    over = true;
    cancelTimer();
    // A complete response needs no abort, and the browser's tools would show it as canceled.
    if (event?.kind !== "ended") stop.abort();
    late.end();
    if (event) onEvent(event);
  };
  // The timer only triggers the check. The clock decides, so that a busy main thread postpones nothing.
  const watch = (): void => {
    const left = lastByteAt + limits.routeLoadMs - clock.now();
    if (left <= 0) finish({ kind: "failed", reason: "timeout-data" });
    else cancelTimer = deps.setTimer(watch, left);
  };
  const onChunk = (): void => {
    lastByteAt = clock.now();
  };
  const emit = (event: PageDataEvent): void => {
    if (!over) onEvent(event);
  };

  watch();
  readLines(request, deps, late, { signal: stop.signal, onChunk, onEvent: emit }).then(finish, () =>
    finish({ kind: "failed", reason: "unreadable-data" }),
  );
  return finish;
}

interface Reading {
  signal: AbortSignal;
  onChunk(): void;
  onEvent(event: PageDataEvent): void;
}

/** Reads one response to its end and returns its last event. Throws only if a line is not JSON. */
async function readLines(
  request: DataRequest,
  deps: FetchDeps,
  late: LateReceiver,
  reading: Reading,
): Promise<PageDataEvent> {
  const sentAt = deps.clock.now();
  const response = await send(request, deps, reading.signal);
  if (response === undefined) return { kind: "failed", reason: "network" };
  reading.onChunk();
  const slowDownMs = slowDown(response, deps.limits);
  if (slowDownMs > 0) reading.onEvent({ kind: "slow-down", ms: slowDownMs });
  const reason = unfit(response);
  if (reason) return { kind: "failed", reason };

  let preamble: Preamble | undefined;
  let answered = false;
  let bytes = 0;
  for await (const line of readDataLines(response, reading.onChunk)) {
    bytes += line.length;
    if (line === "") reading.onEvent({ kind: "alive" });
    else if (preamble === undefined) {
      preamble = readPreamble(JSON.parse(line));
      if (preamble === undefined) return { kind: "failed", reason: "unreadable-data" };
      if (preamble.build !== deps.build) return { kind: "failed", reason: "build-mismatch" };
      reading.onEvent({ kind: "alive" });
    } else if (!answered) {
      const head = preamble;
      const { known } = deps;
      const read = (text: string): DataAnswer | undefined => readDataAnswer(text, head, deps.routes, late);
      const answer = known ? known.complete(line, read) : read(line);
      if (answer === undefined) return { kind: "failed", reason: "unreadable-data" };
      if (answer.kind === "page") {
        Object.assign(answer, { sentAt, asOf: deps.asOf });
        // With what was left out.
        bytes += answer.text.length - line.length;
      }
      answered = true;
      reading.onEvent({ kind: "answered", answer, preamble });
    } else if (tookLast(line, late)) return { kind: "ended", bytes };
  }
  return { kind: "failed", reason: "cut-data" };
}

async function send(
  { url, headers, prefetch }: DataRequest,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const address = new URL(url);
  address.pathname =
    (address.pathname === "/" ? "" : slashes ? slashes.bare(address.pathname) : address.pathname) +
    (isStatic ? pageDataFile : (deps.known?.path ?? "") + pageDataSuffix);
  // The server never sends a 3xx here. A redirect by a proxy in between is left to the browser, by a full load.
  const init: RequestInit = { headers, signal, credentials: "same-origin", redirect: "manual" };
  if (prefetch) {
    // Scripts cannot set `Sec-Purpose`: names that begin with `Sec-` are forbidden request headers.
    init.headers = { ...headers, Purpose: "prefetch" };
    init.priority = "low";
  }
  try {
    return await deps.fetch(address, init);
  } catch {
    return undefined; // no connection, a refused one, or aborted
  }
}

/** Whether a response is page data, judged by its status and headers. */
export function fitsPageData(response: Response): boolean {
  return unfit(response) === undefined;
}

/** Returns why a response is not page data, judged by its status and headers. */
function unfit({ status, headers, body }: Response): FullLoadReason | undefined {
  if (status === 204 || status === 205) return "no-content";
  if (headers.get("content-disposition")?.startsWith("attachment")) return "attachment";
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim();
  const expected = isStatic ? "application/json" : pageDataType;
  return type === expected && body !== null ? undefined : "wrong-content-type";
}

/** Reads `Retry-After` in seconds. The rare form with a date counts as missing. */
function slowDown({ status, headers }: Response, limits: FetchDeps["limits"]): number {
  const after = headers.get("retry-after");
  if (after === null && status !== 429 && status !== 503) return 0;
  return Number(after) > 0 ? Number(after) * 1_000 : limits.prefetchBackOffMs;
}

/** Yields the lines of a body without their line ends. A body that breaks off yields no more lines. */
export async function* readDataLines(response: Response, onChunk: () => void): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  // Not a `TextDecoderStream`: the visitor would wait for two more streams and their promises with each chunk.
  const decoder = new TextDecoder();
  const read = () => reader?.read().catch(() => undefined);
  let rest = "";
  try {
    for (;;) {
      const chunk = await read();
      if (chunk?.value === undefined) return;
      onChunk();
      const lines = (rest + decoder.decode(chunk.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    // A caller that stops at the last line has not read the end of the body yet.
    void read();
  }
}

/** Reads a line after the page's own: a late value, or the end. Returns true for the end. */
function tookLast(line: string, late: LateReceiver): boolean {
  const value: unknown = JSON.parse(line);
  return !late.take(value) && typeof value === "object" && value !== null && "kind" in value && value.kind === "end";
}
