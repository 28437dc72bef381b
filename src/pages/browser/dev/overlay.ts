import * as React from "react";
import { HoldfastError } from "#errors";
import type { ErrorPlace, FirstSignals } from "#signals";
import { hydrationElementId } from "../../page-data.ts";
import { runtimeIfRunning } from "../../react/browser-runtime.ts";
import { ledgerStorage } from "../ledger-storage.ts";
import { createLedger } from "../navigation/full-load.ts";

/** What Vite tells a module while developing. */
export interface HotContext {
  on(event: string, hear: (data: never) => void): void;
  /** Waits until Vite's client is connected. */
  send(event: string, data: unknown): void;
}

/** A failure as the server describes it, ready to be shown. */
interface ShownFailure {
  digest?: string;
  path?: string;
  html: string;
  style: string;
}

const failures = "/@holdfast/failures";
const overlayId = "holdfast-failure";
const anyDigest = /"digest":"([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})"/;

/** Where the visitor is going: a page that breaks is shown at the old address until it is committed. */
let headedFor = location.pathname;

/** What the server answered for the page that is shown; 0 where the browser does not say. */
let status = documentTiming()?.responseStatus ?? 0;

/**
 * Shows what breaks over the page while the application is being written, and takes it away once its file has changed.
 * Page data is loaded again when the server's side of it has changed. A page that could not be shown reloads with every
 * change.
 */
export function openOverlay(hot: HotContext | undefined): void {
  hot?.on("holdfast:failure", (failure: ShownFailure) => {
    if (failure.path === undefined || failure.path === headedFor || failure.path === location.pathname) show(failure);
  });
  hot?.on("vite:beforeUpdate", hide);
  hot?.on("holdfast:changed", beginAnewIfBroken);
  hot?.on("holdfast:server-changed", () => {
    hide();
    // A broken page reloads by the message before this one.
    if (!isBroken()) runtimeIfRunning()?.retry();
  });
  // Changes before Vite's client connected were not announced: the server compares. It may be connected already, or not
  // yet.
  const opened = (): void =>
    hot?.send("holdfast:opened", { msSinceAsked: performance.now() - (documentTiming()?.requestStart ?? 0) });
  hot?.on("vite:ws:connect", opened);
  opened();
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
    hot?.send("holdfast:refused", {
      directive: effectiveDirective,
      blocked: blockedURI,
      source: sourceFile ? `${sourceFile}:${lineNumber}` : "",
      page: location.pathname,
    }),
  );
  addEventListener("error", ({ error }) => tellThrown(error));
  addEventListener("unhandledrejection", ({ reason }) => tellThrown(reason));
  addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  void showBrokenDocument();
}

/** An error page has nothing to lose, and any change may be what it lacked. */
function beginAnewIfBroken(): void {
  if (isBroken()) location.reload();
}

/** Not alive: the document is there, but code of its page could not be loaded. */
function isBroken(): boolean {
  return status >= 500 || document.documentElement.dataset.holdfast !== "alive";
}

/**
 * The document was made of the routes before a change, and its code of those after it. Asked for again, both are of
 * now.
 */
function isOfTwoBuilds(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === "no-page-in-document";
}

/** Counted apart from the full loads of visitors: a day of changing routes must not use them up. */
const begunAnew = createLedger(
  ledgerStorage("holdfast-begun-anew"),
  // Longer than a document takes to say so again, should it not have helped.
  { fullLoadSameMs: 5_000, fullLoadsPerTab: Number.POSITIVE_INFINITY, fullLoadTabMs: 60_000 },
  Date.now,
);

function beginAnewOnce(): void {
  const { href } = location;
  if (!begunAnew.mayLoad(href, "build-mismatch")) return;
  begunAnew.note(href, "build-mismatch");
  location.reload();
}

/** The reporter's function: calls back for each uncaught error that became an event. */
type OnUncaught = (hear: (thrown: unknown, digest: string) => void) => void;

/** The same signals, with the overlay's ear on them. */
export function withOverlay(signals: FirstSignals, onUncaught?: OnUncaught): FirstSignals {
  const errorCaught: FirstSignals["errorCaught"] = (error, place) => {
    const digest = signals.errorCaught(error, place);
    if (isOfTwoBuilds(error)) beginAnewOnce();
    tellThrown(error, { ...place, digest });
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
        };
        return { headers: () => navigation.headers(), dataRequested: () => navigation.dataRequested(), ended };
      };
      return { ...all, errorCaught, navigationStarted };
    },
  };
}

/** What was sent to the server, and when it has answered. */
const told = new WeakMap<object, Promise<void>>();
const digests = new WeakMap<object, string>();

/** Of an uncaught error: known before it is shown, or a moment later if the reporter had to be loaded first. */
function addDigest(thrown: unknown, digest: string): void {
  if (typeof thrown !== "object" || thrown === null) return;
  digests.set(thrown, digest);
  void told.get(thrown)?.then(() => tell(describe(thrown, {}), isShown));
}

/** One failure is shown once, however many hear of it. What came broken from the server is known there. */
export function tellThrown(thrown: unknown, place: Partial<ErrorPlace> & { digest?: string | undefined } = {}): void {
  const isObject = typeof thrown === "object" && thrown !== null;
  if (isObject && (told.has(thrown) || "digest" in thrown)) return;
  const error = describe(thrown, place);
  const answered = tell(error, () => !moduleMissing.test(error.message) || !isShown());
  if (isObject) told.set(thrown, answered);
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
 * Of a hydration error the stack has React's calls alone. Which components made the element is known only while React
 * tells of it.
 */
function ownersOf({ during }: Partial<ErrorPlace>): string {
  return (during === "hydration" && React.captureOwnerStack()) || "";
}

/** What a browser says of a module that the server could not compile, which is shown already or about to be. */
const moduleMissing = /dynamically imported module|Importing a module script/;

/** The server knows the sources; it describes and this side shows. */
async function tell(error: Described, isNews: () => boolean): Promise<void> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(error),
  };
  await ask(failures, init, isNews);
}

/** A document that was broken when it came names the digest of what broke it; what cannot be compiled has none. */
async function showBrokenDocument(): Promise<void> {
  if (status < 500) return;
  const digest = anyDigest.exec(document.getElementById(hydrationElementId)?.textContent ?? "")?.[1];
  await ask(`${failures}/${digest ?? "newest"}`);
}

function documentTiming(): PerformanceNavigationTiming | undefined {
  const [loaded] = performance.getEntriesByType("navigation");
  return loaded instanceof PerformanceNavigationTiming ? loaded : undefined;
}

async function ask(address: string, init?: RequestInit, isNews = () => true): Promise<void> {
  try {
    const answer = await fetch(address, init);
    if (!answer.ok) return;
    const failure = await answer.json();
    if (isNews()) show(failure);
  } catch {
    // The server is being started again; the page is reloaded when it is back.
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
  // Written by our own server, which has escaped all that came from elsewhere.
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
