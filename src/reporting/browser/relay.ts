import { digestOf, newEventId, newSpanId, newTraceId, writeSentryTrace, writeTraceparent } from "#protocol";
import type { BrowserSignals } from "#signals";
import { type BehindTheDoor, standBehindDoor } from "../door.ts";
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

type Late = (reporter: Reporter) => void;

const early: EarlyErrors | undefined = Reflect.get(globalThis, earlyGlobal);
const waiting: Late[] = [];
let reporter: Reporter | undefined;
let asked = false;

/** Whatever the reporter does must not reach the page. What it is told before it is there, it is told then. */
function tell(what: Late): void {
  if (!reporter) {
    waiting.push(what);
    return;
  }
  try {
    what(reporter);
  } catch (error) {
    console.warn("The reporter failed.", error);
  }
}

/** Brings the reporter: when the page is alive and idle, or at the first error. Without the inline script nobody wants reports. */
function load(): void {
  if (!early || asked) return;
  asked = true;
  import("./reporter.ts").then(
    ({ Reporter: Loaded }) => {
      reporter = new Loaded(early);
      for (const what of waiting.splice(0)) tell(what);
    },
    () => {
      // Blocked or offline: the inline script keeps the errors and sends them when the page goes. A later error tries again.
      asked = false;
    },
  );
}

const now = (): Told => ({ at: performance.timeOrigin + performance.now(), url: location.href });

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

function headersOf(trace: NewTrace): Record<string, string> {
  return {
    "sentry-trace": writeSentryTrace(trace),
    traceparent: writeTraceparent(trace),
    baggage: `sentry-trace_id=${trace.traceId},sentry-sampled=${trace.sampled}${early?.settings.rate === undefined ? "" : `,sentry-sample_rate=${early.settings.rate}`}`,
  };
}

/** An event id is given out at once; the event itself is sent as soon as the reporter is there. */
function record(send: (reporter: Reporter, eventId: string, told: Told) => void): string | undefined {
  if (!early) return undefined;
  const eventId = newEventId();
  const told = now();
  tell((one) => send(one, eventId, told));
  load();
  return eventId;
}

/** The browser's signals while the reporter is on its way, and its voice when it is there. Small: it comes with the first script. */
export const browserSignals: BrowserSignals = {
  pageShown: (facts) => {
    const told = now();
    tell((one) => one.pageShown(facts, told));
    const soon: (run: () => void) => void = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, 1));
    if (facts.first) soon(load);
  },
  navigationStarted: (facts) => {
    const trace = newTrace();
    const told = now();
    // The click that brought us here happened a little earlier.
    const clickedMs = globalThis.event?.timeStamp;
    tell((one) => one.navigationStarted(facts, trace, told, clickedMs));
    return {
      headers: () => headersOf(trace),
      dataRequested: () => {
        const { at } = now();
        tell((one) => one.dataRequested(facts.id, at));
      },
      ended: (outcome) => {
        const { at } = now();
        tell((one) => one.navigationEnded(facts.id, outcome, at));
      },
    };
  },
  prefetchStarted: ({ url }) => {
    const trace = newTrace();
    const { at } = now();
    tell((one) => one.prefetchStarted(url, trace, at));
    return { headers: () => headersOf(trace) };
  },
  prefetchEnded: (facts) => {
    const { at } = now();
    tell((one) => one.prefetchEnded(facts, at));
  },
  prefetchUsed: (facts) => tell((one) => one.prefetchUsed(facts)),
  fullLoadChosen: (facts) => {
    const told = now();
    tell((one) => one.fullLoadChosen(facts, told));
  },
  connection: (state) => {
    const told = now();
    tell((one) => one.connection(state, told));
  },
  errorCaught: (error, place) => {
    const eventId = record((one, id, told) => one.errorCaught(error, place, id, told));
    return eventId === undefined
      ? { kind: "unrecorded" }
      : { kind: "recorded", eventId, digest: digestOf(eventId), durable: Promise.resolve() };
  },
};

const door: BehindTheDoor = {
  captureError: (error, about) => shown(record((one, id, told) => one.captureError(error, about, id, told))),
  captureMessage: (text, level, about) =>
    shown(record((one, id, told) => one.captureMessage(text, level, about, id, told))),
  span: (name, run, attributes) => {
    const { at } = now();
    const end = (failed: boolean): void => {
      const endedAt = now().at;
      tell((one) => one.spanEnded(name, attributes, at, endedAt, failed));
    };
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
  setUser: (user) => tell((one) => one.setUser(user)),
  addStep: (text, data) => {
    const { at } = now();
    tell((one) => one.addStep(text, data, at));
  },
  log: (level, text, attributes) => {
    const { at } = now();
    tell((one) => one.log(level, text, attributes, at));
  },
};

function shown(eventId: string | undefined): string | undefined {
  return eventId && digestOf(eventId);
}

standBehindDoor(door);
// An error that the page met before us is reason enough to bring the reporter at once.
if (early?.list.length) load();
