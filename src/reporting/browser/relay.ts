import { digestOfHex, newEventId } from "#protocol/new-ids";
import type { ErrorPlace, FirstSignals, ShownFacts } from "#signals";
import { type EarlyErrors, earlyAtMost, earlyGlobal } from "../early-errors.ts";
import type { CallContext, LaterModule, ReporterCalls } from "./reporter-calls.ts";

type LoadLater = () => Promise<LaterModule>;

type Rest<List extends unknown[]> = List extends [CallContext, ...infer Others] ? Others : never;

export const earlyErrors: EarlyErrors | undefined = (globalThis as { [earlyGlobal]?: EarlyErrors })[earlyGlobal];
const queue: ((reporter: ReporterCalls) => void)[] = [];
let reporter: ReporterCalls | undefined;
let loadLater: LoadLater | undefined;
let requested = false;

/** Calls the reporter with the current time and address. Calls before it has loaded are queued. */
export function notify<Name extends keyof ReporterCalls>(
  name: Name,
  ...facts: Rest<Parameters<ReporterCalls[Name]>>
): void {
  const context: CallContext = { at: performance.timeOrigin + performance.now(), url: location.href };
  const call = (one: ReporterCalls): void => {
    try {
      // Every method accepts the context first, then arguments of the type of `facts`.
      (one[name] as (context: CallContext, ...facts: unknown[]) => void).call(one, context, ...facts);
    } catch (error) {
      // A failing reporter must not break the page.
      console.warn(error);
    }
  };
  if (reporter) call(reporter);
  // A reporter that never loads must not fill the memory of a long visit.
  else if (earlyErrors && queue.length < 100) queue.push(call);
}

/**
 * Loads the reporter: when the page is interactive and idle, or at the first error. Without the inline script,
 * reporting is off.
 */
export function loadReporter(): void {
  if (!earlyErrors || !loadLater || requested) return;
  requested = true;
  loadLater().then(
    ({ Reporter: Loaded }) => {
      reporter = new Loaded(earlyErrors);
      for (const call of queue.splice(0)) call(reporter);
    },
    () => {
      // Blocked or offline: the inline script keeps the errors and sends them on pagehide. A later error retries.
      requested = false;
    },
  );
}

/** The browser's signals before and after the reporter has loaded. Small, because it is part of the first script. */
export function openSignals(later: LoadLater): FirstSignals {
  loadLater = later;
  // An error that happened before this script ran loads the reporter at once.
  if (earlyErrors?.list.length || queue.length) loadReporter();
  return {
    pageShown,
    errorCaught,
    all: async () => {
      loadReporter();
      return (await later()).movingSignals;
    },
  };
}

export function pageShown(facts: ShownFacts): void {
  notify("pageShown", facts);
  // Visitors leave an error page soon, and what they do next is known from it.
  if (facts.digest) loadReporter();
}

export function errorCaught(error: unknown, place: ErrorPlace): string | undefined {
  // The id exists at once, the event follows when the reporter has loaded.
  const eventId = newEventId();
  notify("errorCaught", error, place, eventId);
  return promiseDigest(error, eventId, place);
}

/** The digest of the coming report. If the page is left before the reporter has loaded, the inline script sends it. */
export function promiseDigest(thrown: unknown, id: string, place: Partial<ErrorPlace>): string | undefined {
  if (!reporter && earlyErrors && earlyErrors.list.length < earlyAtMost)
    earlyErrors.list.push({ ...place, thrown, id, at: Date.now() });
  loadReporter();
  return earlyErrors && digestOfHex(id);
}

/** Calls `listener` for each uncaught error once its event exists. Only the development overlay imports it. */
export function onUncaught(listener: (thrown: unknown, digest: string) => void): void {
  if (earlyErrors) earlyErrors.reported = (thrown, eventId) => listener(thrown, digestOfHex(eventId));
}
