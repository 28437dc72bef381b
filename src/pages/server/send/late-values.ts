import * as pageErrors from "../../errors.ts";
import type { ServerLimits } from "../../limits.ts";
import type { Settled } from "../../react/page-context.ts";
import { writeTagged } from "../../tagged-json.ts";
import { inTime } from "../in-time.ts";
import type { PageRequest } from "../page-request.ts";
import type { ErrorLog } from "../problems/error-log.ts";

/**
 * Promises in the loaded data of one request: numbered as they are found, sent as they settle. Rejections are handled
 * from the start, so that a promise whose page is never sent fails as a recorded error and not as an unhandled
 * rejection.
 */
export class LateValues {
  readonly #request: PageRequest;
  readonly #errors: ErrorLog;
  readonly #limits: ServerLimits;
  readonly #lines: Promise<string>[] = [];
  readonly #settled = new Map<PromiseLike<unknown>, Promise<Settled>>();

  constructor(request: PageRequest, errors: ErrorLog, limits: ServerLimits) {
    this.#request = request;
    this.#errors = errors;
    this.#limits = limits;
  }

  /** The number of promises; their ids run from 1 to this. */
  get count(): number {
    return this.#lines.length;
  }

  keep(promise: PromiseLike<unknown>): number {
    const id = this.#lines.length + 1;
    // Before React sees the promise, so that this handler runs first.
    Promise.resolve(promise).catch((thrown: unknown) => this.#shieldReact(promise, thrown));
    const settled = this.#settle(promise);
    this.#settled.set(
      promise,
      settled.then(({ outcome }) => outcome),
    );
    this.#lines.push(settled.then(({ rest }) => `{"late":${id},${rest}}`));
    return id;
  }

  /** The result that the browser will receive for a promise, so that the document shows the same. */
  settled(promise: PromiseLike<unknown>): Promise<Settled> | undefined {
    return this.#settled.get(promise);
  }

  /** Calls back with the line of each value when it has settled. */
  async each(ids: readonly number[], send: (line: string) => unknown): Promise<void> {
    await Promise.all(ids.map(async (id) => send((await this.#lines[id - 1]) ?? "")));
  }

  /**
   * React inspects the reason of a rejection, and gives up the whole document when that throws. So React gets another
   * reason, in the fields that it keeps on a promise; both are one error with one digest.
   */
  #shieldReact(promise: PromiseLike<unknown>, thrown: unknown): void {
    if (canBeLookedAt(thrown)) return;
    const reason = new Error("A late value was rejected with something that throws when it is looked at.");
    this.#record(thrown);
    this.#errors.alsoKnownAs(thrown, reason);
    Object.assign(promise, { status: "rejected", reason });
  }

  async #settle(promise: PromiseLike<unknown>): Promise<{ outcome: Settled; rest: string }> {
    const { lateMs } = this.#limits;
    try {
      const orDisconnected = Promise.race([promise, this.#request.disconnected]);
      const value = await inTime(orDisconnected, lateMs, () => pageErrors.loadTimedOut(this.#request.path, lateMs));
      return { outcome: { kind: "resolved", value }, rest: `"value":${writeTagged(value, this.#limits)}` };
    } catch (thrown) {
      const digest = this.#record(thrown);
      await this.#errors.durable;
      // The browser gets only the digest, nothing of the error itself.
      const shown = Object.assign(new Error("A part of this page could not be loaded."), { digest });
      return { outcome: { kind: "failed", thrown: shown }, rest: `"digest":${JSON.stringify(digest ?? null)}` };
    }
  }

  /** The part of the page that awaits the value shows the error in its place. */
  #record(thrown: unknown): string | undefined {
    return this.#errors.record(thrown, "late-data", {
      visitorSaw: this.#request.isPrefetch ? "nothing" : "nested-error",
    });
  }
}

/** Reads the same properties of a thrown value as React. */
function canBeLookedAt(thrown: unknown): boolean {
  if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) return true;
  try {
    for (const name of ["then", "$$typeof", "digest", "message", "stack"]) Reflect.get(thrown, name);
    return true;
  } catch {
    return false;
  }
}
