import * as pageErrors from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import { writeTagged } from "../tagged-json.ts";
import type { ErrorLog } from "./error-log.ts";
import type { PageRequest } from "./page-request.ts";
import { inTime } from "./visit.ts";

/**
 * Promises inside what the loads of one request returned: numbered as they are found, sent as they settle. They are watched from the moment
 * they are found, so that one whose page is never sent fails as a recorded error and not as a rejection that nobody handles.
 */
export class LateValues {
  readonly #request: PageRequest;
  readonly #errors: ErrorLog;
  readonly #limits: ServerLimits;
  readonly #lines: Promise<string>[] = [];

  constructor(request: PageRequest, errors: ErrorLog, limits: ServerLimits) {
    this.#request = request;
    this.#errors = errors;
    this.#limits = limits;
  }

  /** How many there are: the numbers go from 1 to this. */
  get count(): number {
    return this.#lines.length;
  }

  readonly keep = (promise: PromiseLike<unknown>): number => {
    const id = this.#lines.length + 1;
    this.#lines.push(this.#settle(id, promise));
    return id;
  };

  /** Calls back with the line of each value when it is there. */
  async each(ids: readonly number[], send: (line: string) => unknown): Promise<void> {
    await Promise.all(ids.map(async (id) => send((await this.#lines[id - 1]) ?? "")));
  }

  async #settle(id: number, promise: PromiseLike<unknown>): Promise<string> {
    const { lateMs } = this.#limits;
    try {
      const orGone = Promise.race([promise, this.#request.gone]);
      const value = await inTime(orGone, lateMs, () => pageErrors.loadTimedOut(this.#request.path, lateMs));
      return `{"late":${id},"value":${writeTagged(value, this.#limits)}}`;
    } catch (thrown) {
      const digest = this.#errors.record(thrown, "late-data");
      await this.#errors.durable;
      return JSON.stringify({ late: id, digest: digest ?? null });
    }
  }
}
