import { safeText } from "../describe/describe-thrown.ts";
import { isTarget } from "../settings.ts";
import type { Span, TraceSegment } from "../trace/trace.ts";
import type { WireBreadcrumb } from "../wire.ts";
import { traceHeaders } from "./trace-headers.ts";

export interface WatchDeps {
  now: () => number;
  addStep: (step: WireBreadcrumb) => void;
  /** The trace that requests belong to now. */
  segment: () => TraceSegment;
  /** Whether spans may still be added to it. */
  isOpen: () => boolean;
  /** Address that takes reports: a path of the application, or a whole address. */
  reportsTo: string;
  targets: readonly (string | RegExp)[];
}

/**
 * Records the visitor's actions and the page's requests, as breadcrumbs of the next error and as spans of the trace.
 */
export function watchPage(deps: WatchDeps): void {
  watchClicks(deps);
  watchConsole(deps);
  watchFetch(deps);
  watchXhr(deps);
  watchLongTasks(deps);
}

function watchClicks({ now, addStep }: WatchDeps): void {
  const note = (event: Event): void => {
    const control = event.target instanceof Element ? event.target.closest(controls) : null;
    if (control) addStep({ timestamp: now() / 1000, category: `ui.${event.type}`, message: nameOf(control) });
  };
  for (const kind of ["click", "change", "submit"]) addEventListener(kind, note, { capture: true, passive: true });
}

const controls =
  "a,button,input,select,textarea,summary,label,form,[role=button],[role=link],[role=tab],[role=menuitem]";

/** Describes an element by its attributes, never by its content, which may be private. */
function nameOf(element: Element): string {
  const marks = ["id", "name", "type", "role", "data-testid"].flatMap((name) => {
    const value = element.getAttribute(name);
    return value ? [`[${name}="${value.slice(0, 80)}"]`] : [];
  });
  return element.tagName.toLowerCase() + marks.join("");
}

function watchConsole({ now, addStep }: WatchDeps): void {
  const original = console.error;
  console.error = (...args: unknown[]) => {
    const message = args.map(safeText).join(" ");
    addStep({ timestamp: now() / 1000, category: "console", message: message.slice(0, 300), level: "error" });
    original.apply(console, args);
  };
}

function watchFetch(deps: WatchDeps): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const call = readCall(input, init);
    if (!call || isOwn(call.url, deps)) return original(input, init);
    const { method, url, headers } = call;
    // Page-data requests already carry the trace of their navigation.
    const isTraced = headers.has("sentry-trace");
    const span = isTraced ? undefined : beginRequest(deps, method, url);
    if (!isTraced) addTrace(deps, span, url, (name, value) => headers.set(name, value));
    // Returns the derived promise: listening to the original would mark its rejection as handled.
    return original(input, { ...init, headers }).then(
      (answer) => {
        endRequest(deps, span, { method, url, status: answer.status });
        return answer;
      },
      (error: unknown) => {
        endRequest(deps, span, { method, url, status: 0 });
        throw error;
      },
    );
  };
}

interface Call {
  method: string;
  url: URL;
  headers: Headers;
}

/** Undefined if `fetch` would refuse the input: the caller gets that error from `fetch` itself. */
function readCall(input: RequestInfo | URL, init: RequestInit | undefined): Call | undefined {
  try {
    const request = input instanceof Request ? input : undefined;
    return {
      method: init?.method ?? request?.method ?? "GET",
      url: new URL(request?.url ?? String(input), location.href),
      headers: new Headers(init?.headers ?? request?.headers),
    };
  } catch {
    return undefined;
  }
}

/** Instruments `XMLHttpRequest`, which libraries still use. */
function watchXhr(deps: WatchDeps): void {
  const { open, send } = XMLHttpRequest.prototype;
  const calls = new WeakMap<XMLHttpRequest, Omit<Call, "headers">>();
  XMLHttpRequest.prototype.open = function (
    this: XMLHttpRequest,
    method: string,
    url: string | URL,
    ...how: unknown[]
  ) {
    if (URL.canParse(url, location.href)) calls.set(this, { method, url: new URL(url, location.href) });
    Reflect.apply(open, this, [method, url, ...how]);
  };
  XMLHttpRequest.prototype.send = function (body) {
    const { method, url } = calls.get(this) ?? {};
    if (method && url && !isOwn(url, deps)) {
      const span = beginRequest(deps, method, url);
      addTrace(deps, span, url, (name, value) => this.setRequestHeader(name, value));
      this.addEventListener("loadend", () => endRequest(deps, span, { method, url, status: this.status }));
    }
    send.call(this, body);
  };
}

/** Reporting its own requests would never end. */
function isOwn({ origin, pathname }: URL, { reportsTo }: WatchDeps): boolean {
  const own = new URL(reportsTo, location.href);
  return origin === own.origin && pathname.startsWith(own.pathname);
}

function addTrace(
  { segment, targets }: WatchDeps,
  span: Span | undefined,
  url: URL,
  set: (name: string, value: string) => void,
): void {
  if (url.origin !== location.origin && !isTarget(url.href, targets)) return;
  const { traceId, root, sampled, sampleRate } = segment();
  for (const [name, value] of Object.entries(traceHeaders(traceId, (span ?? root).spanId, sampled, sampleRate)))
    set(name, value);
}

function beginRequest(deps: WatchDeps, method: string, url: URL): Span | undefined {
  if (!deps.isOpen()) return undefined;
  const host = url.origin === location.origin ? "" : url.origin;
  return deps.segment().begin(undefined, "http.client", `${method} ${host}${url.pathname}`, deps.now());
}

interface EndedRequest {
  method: string;
  url: URL;
  /** 0 without a response. */
  status: number;
}

function endRequest(deps: WatchDeps, span: Span | undefined, { method, url, status }: EndedRequest): void {
  const failed = status === 0 || status >= 500;
  if (span) {
    span.endMs = deps.now();
    span.status = failed ? "internal_error" : "ok";
    span.data = { "http.response.status_code": status };
  }
  deps.addStep({
    timestamp: deps.now() / 1000,
    category: "fetch",
    type: "http",
    message: `${method} ${url.pathname} ${status || "failed"}`,
    level: failed ? "error" : "info",
    data: { method, url: url.href, status_code: status },
  });
}

/** Records tasks that block the page for longer than 50 ms, the browser's definition of a long task. */
function watchLongTasks(deps: WatchDeps): void {
  if (!PerformanceObserver.supportedEntryTypes?.includes("longtask")) return;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!deps.isOpen()) return;
      const span = deps
        .segment()
        .begin(undefined, "ui.long-task", "Main thread busy", performance.timeOrigin + entry.startTime);
      span.endMs = span.startMs + entry.duration;
    }
  });
  observer.observe({ type: "longtask", buffered: true });
}
