import { digestOf, newEventId, newSpanId, newTraceId } from "#protocol";
import type { BrowserSignals } from "#signals";
import { standBehindDoor } from "../door.ts";
import { type EarlyErrors, earlyGlobal } from "../early-errors.ts";
import type { Reporter } from "./reporter.ts";

/** When and where something was told; the reporter may hear of it later. */
export interface Told {
  /** Milliseconds since 1970. */
  at: number;
  url: string;
}

/** Ids of a trace that begins here, and whether it is recorded. Made at once, because requests carry them. */
export interface NewTrace {
  traceId: string;
  /** Of the request that carries them. */
  spanId: string;
  sampled: boolean;
}

type Rest<List extends unknown[]> = List extends [Told, ...infer Others] ? Others : never;

const early: EarlyErrors | undefined = Reflect.get(globalThis, earlyGlobal);
const waiting: ((reporter: Reporter) => void)[] = [];
let reporter: Reporter | undefined;
let asked = false;

/** Tells the reporter, with the time and the address of now; what it is told before it is there, it hears then. */
function tell<Name extends keyof Reporter>(name: Name, ...facts: Rest<Parameters<Reporter[Name]>>): void {
  const told: Told = { at: performance.timeOrigin + performance.now(), url: location.href };
  const what = (one: Reporter): void => {
    try {
      Reflect.apply(one[name], one, [told, ...facts]);
    } catch (error) {
      // Whatever the reporter does must not reach the page.
      console.warn(error);
    }
  };
  if (reporter) what(reporter);
  else waiting.push(what);
}

/** Brings the reporter: when the page is alive and idle, or at the first error. Without the inline script nobody wants reports. */
function load(): void {
  if (!early || asked) return;
  asked = true;
  import("./reporter.ts").then(
    ({ Reporter: Loaded }) => {
      reporter = new Loaded(early);
      for (const what of waiting.splice(0)) what(reporter);
    },
    () => {
      // Blocked or offline: the inline script keeps the errors and sends them when the page goes. A later error tries again.
      asked = false;
    },
  );
}

function newTrace(): NewTrace {
  const rate = early?.settings.rate ?? (pageIsSampled() ? 1 : 0);
  return { traceId: newTraceId(), spanId: newSpanId(), sampled: Math.random() < rate };
}

/** Where the server decides by a function, its decision for the page counts for what follows on it. */
function pageIsSampled(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (
    page?.serverTiming?.some(({ name, description }) => name === "sentry-trace" && description.endsWith("-1")) ?? false
  );
}

function headersOf({ traceId, spanId, sampled }: NewTrace): Record<string, string> {
  const told = sampled ? "1" : "0";
  return {
    "sentry-trace": `${traceId}-${spanId}-${told}`,
    traceparent: `00-${traceId}-${spanId}-0${told}`,
    baggage: `sentry-trace_id=${traceId},sentry-sampled=${sampled},sentry-sample_rate=${early?.settings.rate ?? 1}`,
  };
}

/** The browser's signals while the reporter is on its way, and its voice when it is there. Small: it comes with the first script. */
export const browserSignals: BrowserSignals = {
  pageShown: (facts) => {
    tell("pageShown", facts);
    // Safari has no idle callbacks.
    if (facts.first) (globalThis.requestIdleCallback ?? setTimeout)(load);
  },
  navigationStarted: (facts) => {
    const trace = newTrace();
    // The click that brought us here happened a little earlier.
    tell("navigationStarted", facts, trace, globalThis.event?.timeStamp);
    return {
      headers: () => headersOf(trace),
      dataRequested: () => tell("dataRequested", facts.id),
      ended: (outcome) => tell("navigationEnded", facts.id, outcome),
    };
  },
  prefetchStarted: ({ url }) => {
    const trace = newTrace();
    tell("prefetchStarted", url, trace);
    return { headers: () => headersOf(trace) };
  },
  prefetchEnded: (facts) => tell("prefetchEnded", facts),
  prefetchUsed: (facts) => tell("prefetchUsed", facts),
  fullLoadChosen: (facts) => tell("fullLoadChosen", facts),
  connection: (state) => tell("connection", state),
  errorCaught: (error, place) => {
    if (!early) return { kind: "unrecorded" };
    // The id is given out at once; the event is sent as soon as the reporter is there.
    const eventId = newEventId();
    tell("errorCaught", error, place, eventId);
    load();
    return { kind: "recorded", eventId, digest: digestOf(eventId), durable: Promise.resolve() };
  },
};

standBehindDoor({
  captureError: (error, about) => {
    const eventId = newEventId();
    tell("captureError", error, about, eventId);
    load();
    return early && digestOf(eventId);
  },
  captureMessage: (text, level, about) => {
    const eventId = newEventId();
    tell("captureMessage", text, level, about, eventId);
    return early && digestOf(eventId);
  },
  span: (name, run, attributes) => {
    const startMs = performance.timeOrigin + performance.now();
    const end = (failed: boolean): void => tell("spanEnded", name, attributes, startMs, failed);
    try {
      const result = run();
      if (result instanceof Promise)
        result.then(
          () => end(false),
          () => end(true),
        );
      else end(false);
      return result;
    } catch (thrown) {
      end(true);
      throw thrown;
    }
  },
  setUser: (user) => tell("setUser", user),
  addStep: (text, data) => tell("addStep", text, data),
  log: (level, text, attributes) => tell("log", level, text, attributes),
});

// An error that the page met before us is reason enough to bring the reporter at once.
if (early?.list.length) load();
