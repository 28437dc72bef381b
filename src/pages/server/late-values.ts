import * as pageErrors from "../errors.ts";
import { writeTagged } from "../tagged-json.ts";
import type { Visit } from "./decide-page.ts";

/** Promises inside a page's data: numbered as they are found, sent as they settle. */
export class LateValues {
  readonly #visit: Visit;
  readonly #lines: Promise<string>[] = [];

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  readonly keep = (promise: PromiseLike<unknown>): number => {
    const id = this.#lines.length + 1;
    this.#lines.push(this.#settle(id, promise));
    return id;
  };

  /** Calls back with the line of each value when it is there. */
  async each(send: (line: string) => Promise<void>): Promise<void> {
    await Promise.all(this.#lines.map(async (line) => send(await line)));
  }

  async #settle(id: number, promise: PromiseLike<unknown>): Promise<string> {
    const { site, errors } = this.#visit;
    try {
      const value = await inTime(promise, site.limits.lateMs, this.#visit.route.id ?? this.#visit.request.path);
      return `{"late":${id},"value":${writeTagged(value, site.limits)}}`;
    } catch (thrown) {
      const digest = errors.record(thrown, "late-data");
      await errors.durable;
      return JSON.stringify({ late: id, digest: digest ?? null });
    }
  }
}

async function inTime(promise: PromiseLike<unknown>, ms: number, route: string): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(pageErrors.loadTimedOut(route, ms)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
