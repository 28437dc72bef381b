import { digestOfHex, newEventId } from "#protocol/new-ids";
import type { ErrorPlace, FirstSignals } from "#signals";
import { type EarlyErrors, earlyAtMost, earlyGlobal } from "../early-errors.ts";
import type { Reporter } from "./reporter.ts";

/** When and where something was told; the reporter may hear of it later. */
export interface Told {
  /** Milliseconds since 1970. */
  at: number;
  url: string;
}

type Bring = () => Promise<typeof import("./later.ts")>;

type Rest<List extends unknown[]> = List extends [Told, ...infer Others] ? Others : never;

export const early = (globalThis as { [earlyGlobal]?: EarlyErrors })[earlyGlobal];
const waiting: ((reporter: Reporter) => void)[] = [];
let reporter: Reporter | undefined;
let bring: Bring | undefined;
let asked = false;

/** Tells the reporter, with the time and the address of now; what it is told before it is there, it hears then. */
export function tell<Name extends keyof Reporter>(name: Name, ...facts: Rest<Parameters<Reporter[Name]>>): void {
  const told: Told = { at: performance.timeOrigin + performance.now(), url: location.href };
  const what = (one: Reporter): void => {
    try {
      // Each method takes first when and where, and then the facts that `facts` is typed by.
      (one[name] as (told: Told, ...facts: unknown[]) => void).call(one, told, ...facts);
    } catch (error) {
      // Whatever the reporter does must not reach the page.
      console.warn(error);
    }
  };
  if (reporter) what(reporter);
  // One that cannot be fetched is not waited for with everything a long visit brings.
  else if (early && waiting.length < 100) waiting.push(what);
}

/** Brings the reporter: when the page is alive and idle, or at the first error. Without the inline script nobody wants reports. */
export function load(): void {
  if (!early || !bring || asked) return;
  asked = true;
  bring().then(
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

/**
 * The browser's signals while the reporter is on its way, and its voice when it is there. Small: it comes with the first script. The rest is fetched
 * by `later`.
 */
export function openSignals(later: Bring): FirstSignals {
  bring = later;
  // An error that the page met before us is reason enough to bring the reporter at once.
  if (early?.list.length || waiting.length) load();
  return {
    pageShown,
    errorCaught,
    all: async () => {
      load();
      return (await later()).movingSignals;
    },
  };
}

export function pageShown(facts: Parameters<FirstSignals["pageShown"]>[0]): void {
  tell("pageShown", facts);
}

export function errorCaught(error: unknown, place: ErrorPlace): string | undefined {
  // The id is given out at once; the event is sent as soon as the reporter is there.
  const eventId = newEventId();
  tell("errorCaught", error, place, eventId);
  return promise(error, eventId, place);
}

/** The digest of what will be reported under this id. Where the page is left before its reporter has come, the inline script sends it. */
export function promise(thrown: unknown, id: string, place: Partial<ErrorPlace>): string | undefined {
  if (!reporter && early && early.list.length < earlyAtMost) early.list.push({ ...place, thrown, id, at: Date.now() });
  load();
  return early && digestOfHex(id);
}

/** Hears of errors that nobody caught, when each has its event. Only the overlay of development asks for it, so that nobody else loads it. */
export function onUncaught(hear: (thrown: unknown, digest: string) => void): void {
  if (early) early.reported = (thrown, eventId) => hear(thrown, digestOfHex(eventId));
}
