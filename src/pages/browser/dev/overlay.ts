import * as React from "react";
import { HoldfastError } from "#errors";
import type { ErrorPlace, FirstSignals } from "#signals";
import { hydrationElementId } from "../../page-data.ts";
import { runtimeIfRunning } from "../../react/browser-runtime.ts";
import { ledgerStorage } from "../ledger-storage.ts";
import { createLedger } from "../navigation/full-load.ts";
import { watchCache } from "./cache-note.ts";

/** The part of Vite's hot context that the overlay uses. */
export interface HotContext {
  on(event: string, listener: (data: never) => void): void;
  /** Vite queues the message until its client is connected. */
  send(event: string, data: unknown): void;
}

/** A failure as the server describes it, rendered to HTML. */
interface ShownFailure {
  digest?: string;
  path?: string;
  html: string;
  style: string;
}

/** The last change of which the server has notified pages, and the question that it answers. */
interface LastChange {
  msAgo: number;
  asked: { asks: number; askedAt: number };
}

/** Each answer takes a few ms. One reload too many is better than a page that misses a change. */
const asksAtMost = 4;

const failures = "/@holdfast/failures";
const overlayId = "holdfast-failure";
const anyDigest = /"digest":"([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})"/;

/** Target of the pending navigation: until it is committed, the address is still that of the old page. */
let headedFor = location.pathname;

/** Status of the response that is shown; 0 if the browser does not report it. */
let status = documentTiming()?.responseStatus ?? 0;

/**
 * Shows failures over the page during development and removes them once a file has changed. Page data is loaded again
 * when its server code has changed. A page that could not be shown reloads with every change.
 */
export function openOverlay(hot: HotContext | undefined): void {
  hot?.on("holdfast:failure", (failure: ShownFailure) => {
    if (failure.path === undefined || failure.path === headedFor || failure.path === location.pathname) show(failure);
  });
  hot?.on("vite:beforeUpdate", hide);
  hot?.on("holdfast:changed", beginAnewIfBroken);
  hot?.on("holdfast:server-changed", () => {
    hide();
    // A broken page has already reloaded by `holdfast:changed`.
    if (!isBroken()) runtimeIfRunning()?.retry();
  });
  const askForChange = (asks = 1): void => hot?.send("holdfast:opened", { asks, askedAt: performance.now() });
  hot?.on("holdfast:last-change", (change: LastChange) => {
    const requestedAt = documentTiming()?.requestStart ?? 0;
    if (change.msAgo >= performance.now() - requestedAt) return;
    // The answer is from some time after the question. Only if that decides, the next one may be quicker.
    const isAfterRequest = change.msAgo < change.asked.askedAt - requestedAt;
    if (isAfterRequest || change.asked.asks === asksAtMost) location.reload();
    else askForChange(change.asked.asks + 1);
  });
  // The client may or may not be connected already.
  hot?.on("vite:ws:connect", () => askForChange());
  askForChange();
  whenAlive(() => askForChange());
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
    hot?.send("holdfast:refused", {
      directive: effectiveDirective,
      blocked: blockedURI,
      source: sourceFile ? `${sourceFile}:${lineNumber}` : "",
      page: location.pathname,
    }),
  );
  addEventListener("error", ({ error }) => reportThrown(error));
  addEventListener("unhandledrejection", ({ reason }) => reportThrown(reason));
  addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  void showBrokenDocument();
  showCacheNote = watchCache();
}

/** Of the page on screen. */
let showCacheNote = (): void => undefined;

/** Reloads an error page: it has no state to lose, and any change may fix it. */
function beginAnewIfBroken(): void {
  if (isBroken()) location.reload();
}

/** Also true without hydration: the document has arrived, but code of its page could not be loaded. */
function isBroken(): boolean {
  return status >= 500 || document.documentElement.dataset.holdfast !== "alive";
}

/**
 * The document was built from the routes before a change and its code from those after it. A reload gets both from the
 * same build.
 */
function isOfTwoBuilds(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === "no-page-in-document";
}

/**
 * A page is not notified of a change before its client is connected, and Vite ignores an update of code that has
 * arrived but has not run yet.
 */
function whenAlive(run: () => void): void {
  const { documentElement } = document;
  if (documentElement.dataset.holdfast === "alive") return run();
  const observer = new MutationObserver(() => {
    if (documentElement.dataset.holdfast !== "alive") return;
    observer.disconnect();
    run();
  });
  observer.observe(documentElement, { attributeFilter: ["data-holdfast"] });
}

/** A ledger apart from that of visitors' full loads, which a day of changing routes would otherwise use up. */
const restarts = createLedger(
  ledgerStorage("holdfast-restarted"),
  // Longer than a reloaded document needs to fail again.
  { fullLoadSameMs: 5_000, fullLoadsPerTab: Number.POSITIVE_INFINITY, fullLoadTabMs: 60_000 },
  Date.now,
);

function beginAnewOnce(): void {
  const { href } = location;
  if (!restarts.mayLoad(href, "build-mismatch")) return;
  restarts.note(href, "build-mismatch");
  location.reload();
}

/** The reporter's function: calls back for each uncaught error that became an event. */
type OnUncaught = (listener: (thrown: unknown, digest: string) => void) => void;

/** Returns the same signals, which also show errors in the overlay. */
export function withOverlay(signals: FirstSignals, onUncaught?: OnUncaught): FirstSignals {
  const errorCaught: FirstSignals["errorCaught"] = (error, place) => {
    const digest = signals.errorCaught(error, place);
    if (isOfTwoBuilds(error)) beginAnewOnce();
    reportThrown(error, { ...place, digest });
    return digest;
  };
  onUncaught?.(addDigest);
  return {
    ...signals,
    errorCaught,
    all: async () => {
      const all = await signals.all();
      const navigationStarted: typeof all.navigationStarted = (facts) => {
        headedFor = new URL(facts.to, location.href).pathname;
        hide();
        const navigation = all.navigationStarted(facts);
        const ended: typeof navigation.ended = (outcome) => {
          if (outcome.kind === "committed") status = outcome.status;
          else if (outcome.kind === "failed") status = 500;
          navigation.ended(outcome);
          showCacheNote();
        };
        return { headers: () => navigation.headers(), dataRequested: () => navigation.dataRequested(), ended };
      };
      return { ...all, errorCaught, navigationStarted };
    },
  };
}

/** Thrown values that were sent to the server, with the end of that request. */
const sent = new WeakMap<object, Promise<void>>();
const digests = new WeakMap<object, string>();

/**
 * Adds the digest of an uncaught error, which may arrive after the error was shown if the reporter had to load first.
 */
function addDigest(thrown: unknown, digest: string): void {
  if (typeof thrown !== "object" || thrown === null) return;
  digests.set(thrown, digest);
  void sent.get(thrown)?.then(() => sendError(describe(thrown, {}), isShown));
}

/**
 * Shows a failure once, even if several handlers report it. Errors with a digest came from the server, which already
 * knows them.
 */
export function reportThrown(thrown: unknown, place: Partial<ErrorPlace> & { digest?: string | undefined } = {}): void {
  const isObject = typeof thrown === "object" && thrown !== null;
  if (isObject && (sent.has(thrown) || "digest" in thrown)) return;
  const error = describe(thrown, place);
  const answered = sendError(error, () => !moduleMissing.test(error.message) || !isShown());
  if (isObject) sent.set(thrown, answered);
}

type Described = Record<string, unknown> & { message: string };

function describe(thrown: unknown, place: Partial<ErrorPlace> & { digest?: string | undefined }): Described {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { side: _, ...where } = place;
  return {
    url: location.href,
    digest: typeof thrown === "object" && thrown !== null ? digests.get(thrown) : undefined,
    ...where,
    name: error.name,
    message: error.message,
    stack: thrown instanceof Error ? `${error.stack ?? ""}${ownersOf(place)}` : "",
  };
}

/**
 * The stack of a hydration error contains only React's calls. The components that created the element are known only
 * during React's callback.
 */
function ownersOf({ during }: Partial<ErrorPlace>): string {
  return (during === "hydration" && React.captureOwnerStack()) || "";
}

/** Browser messages for a module that the server could not compile; the compile error itself is shown. */
const moduleMissing = /dynamically imported module|Importing a module script/;

/** Sends the error to the server, which knows the sources and returns its description. */
async function sendError(error: Described, isNews: () => boolean): Promise<void> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(error),
  };
  await fetchFailure(failures, init, isNews);
}

/** A document that arrived broken contains the digest of its error. A compile error has none. */
async function showBrokenDocument(): Promise<void> {
  if (status < 500) return;
  const digest = anyDigest.exec(document.getElementById(hydrationElementId)?.textContent ?? "")?.[1];
  await fetchFailure(`${failures}/${digest ?? "newest"}`);
}

function documentTiming(): PerformanceNavigationTiming | undefined {
  const [loaded] = performance.getEntriesByType("navigation");
  return loaded instanceof PerformanceNavigationTiming ? loaded : undefined;
}

async function fetchFailure(address: string, init?: RequestInit, isNews = () => true): Promise<void> {
  try {
    const answer = await fetch(address, init);
    if (!answer.ok) return;
    const failure = await answer.json();
    if (isNews()) show(failure);
  } catch {
    // The server is restarting; the page reloads when it is back.
  }
}

function show({ html, style }: ShownFailure): void {
  hide();
  const host = document.createElement("div");
  host.id = overlayId;
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  shadow.adoptedStyleSheets = [sheet];
  // Written by our own server, which has escaped everything from elsewhere.
  shadow.innerHTML = `<div class="ground">${html}</div>`;
  shadow.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button?.dataset.open) void fetch(`/__open-in-editor?file=${encodeURIComponent(button.dataset.open)}`);
    else if (button && "close" in button.dataset) hide();
  });
  document.documentElement.append(host);
}

function isShown(): boolean {
  return document.getElementById(overlayId) !== null;
}

function hide(): void {
  document.getElementById(overlayId)?.remove();
}
