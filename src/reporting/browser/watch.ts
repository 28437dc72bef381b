import { writeSentryTrace, writeTraceparent } from "#protocol";
import { isTarget } from "../settings.ts";
import type { Segment, Span } from "../trace.ts";
import type { WireStep } from "../wire.ts";

export interface WatchParts {
  now: () => number;
  addStep: (step: WireStep) => void;
  /** The trace that requests belong to now. */
  segment: () => Segment;
  /** Whether spans may still be added to it. */
  isOpen: () => boolean;
  /** Address of the tunnel: reports about reports would never end. */
  ownPath: string;
  targets: readonly (string | RegExp)[];
}

/** Sees what the visitor does and what the page asks for: as steps of the next error, and as spans of the trace. */
export function watchPage(parts: WatchParts): void {
  watchClicks(parts);
  watchConsole(parts);
  watchFetch(parts);
  watchLongTasks(parts);
}

function watchClicks({ now, addStep }: WatchParts): void {
  const note = (event: Event): void => {
    const control = event.target instanceof Element ? event.target.closest(controls) : null;
    if (control) addStep({ timestamp: now() / 1000, category: `ui.${event.type}`, message: nameOf(control) });
  };
  for (const kind of ["click", "change", "submit"]) addEventListener(kind, note, { capture: true, passive: true });
}

const controls =
  "a,button,input,select,textarea,summary,label,form,[role=button],[role=link],[role=tab],[role=menuitem]";

/** What it is, never what is written in it: that may be anyone's. */
function nameOf(element: Element): string {
  const marks = ["id", "name", "type", "role", "data-testid"].flatMap((name) => {
    const value = element.getAttribute(name);
    return value ? [`[${name}="${value.slice(0, 80)}"]`] : [];
  });
  return element.tagName.toLowerCase() + marks.join("");
}

function watchConsole({ now, addStep }: WatchParts): void {
  const original = console.error;
  console.error = (...said: unknown[]) => {
    const message = said.map((one) => (one instanceof Error ? `${one.name}: ${one.message}` : String(one))).join(" ");
    addStep({ timestamp: now() / 1000, category: "console", message: message.slice(0, 300), level: "error" });
    original.apply(console, said);
  };
}

function watchFetch(parts: WatchParts): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(request?.url ?? String(input), location.href);
    const method = init?.method ?? request?.method ?? "GET";
    if (url.origin === location.origin && url.pathname.startsWith(parts.ownPath)) return original(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    const span = beginRequest(parts, method, url, headers);
    // Page data carries the trace of its navigation already.
    if (!headers.has("sentry-trace") && mayCarryTrace(url, parts.targets)) addTrace(parts.segment(), span, headers);
    const sent = original(input, { ...init, headers });
    sent.then(
      (answer) => endRequest(parts, span, method, url, answer.status),
      () => endRequest(parts, span, method, url, 0),
    );
    return sent;
  };
}

function mayCarryTrace(url: URL, targets: readonly (string | RegExp)[]): boolean {
  return url.origin === location.origin || isTarget(url.href, targets);
}

function addTrace(segment: Segment, span: Span | undefined, headers: Headers): void {
  const parent = segment.parentFor(span);
  headers.set("sentry-trace", writeSentryTrace(parent));
  headers.set("traceparent", writeTraceparent(parent));
}

function beginRequest(parts: WatchParts, method: string, url: URL, headers: Headers): Span | undefined {
  if (headers.has("sentry-trace") || !parts.isOpen()) return undefined;
  return parts
    .segment()
    .begin(
      undefined,
      "http.client",
      `${method} ${url.origin === location.origin ? "" : url.origin}${url.pathname}`,
      parts.now(),
    );
}

function endRequest(parts: WatchParts, span: Span | undefined, method: string, url: URL, status: number): void {
  const failed = status === 0 || status >= 500;
  if (span) {
    span.endMs = parts.now();
    span.status = failed ? "internal_error" : "ok";
    span.data = { "http.response.status_code": status };
  }
  parts.addStep({
    timestamp: parts.now() / 1000,
    category: "fetch",
    type: "http",
    message: `${method} ${url.pathname} ${status || "failed"}`,
    level: failed ? "error" : "info",
    data: { method, url: url.href, status_code: status },
  });
}

/** Work that kept the page from answering for longer than 50 ms, as the browser counts it. */
function watchLongTasks(parts: WatchParts): void {
  if (!PerformanceObserver.supportedEntryTypes?.includes("longtask")) return;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!parts.isOpen()) return;
      const span = parts
        .segment()
        .begin(undefined, "ui.long-task", "Main thread busy", performance.timeOrigin + entry.startTime);
      span.endMs = span.startMs + entry.duration;
    }
  });
  observer.observe({ type: "longtask", buffered: true });
}
