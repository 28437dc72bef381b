import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import { messageOf } from "#errors";
import type { RequestSignals } from "#signals";
import * as pageErrors from "../errors.ts";
import type { AfterRun } from "./author/visit-scope.ts";
import { isAbort } from "./page-request.ts";
import type { ErrorLog } from "./problems/error-log.ts";
import type { Site } from "./site.ts";

/** The request that leaves work. */
export interface AfterOwner {
  readonly site: Site;
  readonly route: { readonly pattern: string | null };
  readonly request: { readonly path: string };
  readonly signals: RequestSignals;
  readonly errors: Pick<ErrorLog, "record">;
}

/** The work that one request leaves for the time after its response. */
export class AfterWork {
  readonly #visit: AfterOwner;
  /** Undefined when the response has ended. */
  #waiting: (() => void)[] | undefined = [];

  constructor(visit: AfterOwner) {
    this.#visit = visit;
  }

  /** The work and its reports belong to the code that calls this. */
  add(run: AfterRun): void {
    if (!this.#waiting) return begin(this.#visit, run);
    const asHere = AsyncLocalStorage.snapshot();
    this.#waiting.push(() => asHere(begin, this.#visit, run));
  }

  /** The request has been handled: the work begins when its last byte is sent, or its visitor has left. */
  handled(response: ServerResponse): void {
    if (response.destroyed) this.beginAll();
    else response.once("close", () => this.beginAll());
  }

  /** Begins the work, because nothing more is sent. */
  beginAll(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const beginOne of waiting) beginOne();
  }
}

function begin(visit: AfterOwner, run: AfterRun): void {
  const { site, route, request, signals } = visit;
  const { afterMs: ms, afterAtOnce } = site.limits;
  const where = route.pattern ?? request.path;
  if (site.after.count >= afterAtOnce) {
    site.posts.refusals.add("after");
    return record(visit, where, pageErrors.afterLeftOut(where, afterAtOnce));
  }
  const { inItsTime } = site.after.begin({
    ms,
    tooLate: () => pageErrors.afterTimedOut(where, ms),
    interrupted: () => pageErrors.afterInterrupted(where),
    work: async (signal) => {
      try {
        await signals.after(async () => {
          await run({ signal });
        });
      } catch (thrown) {
        // Work that respects its signal throws only an abort error; the signal has the reason.
        throw signal.aborted && isAbort(thrown) ? signal.reason : thrown;
      }
    },
  });
  inItsTime.catch((thrown: unknown) => record(visit, where, thrown));
}

function record(visit: AfterOwner, where: string, thrown: unknown): void {
  const digest = visit.errors.record(thrown, "after", { visitorSaw: "page" });
  visit.site.warn?.(
    `The work after a response of ${where} failed: ${messageOf(thrown)}${digest === undefined ? "" : ` (${digest})`}`,
  );
}
