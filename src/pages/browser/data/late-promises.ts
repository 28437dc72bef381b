import type { Late } from "../../page-data.ts";
import { fromTagged } from "../../tagged-json.ts";

/**
 * A promise of the page's data that failed on the server. The error is recorded there; the browser only gets its
 * digest.
 */
export class LateFailure extends Error {
  readonly digest: string | undefined;

  constructor(digest: string | undefined) {
    super("A part of this page could not be loaded.");
    this.digest = digest;
  }
}

/**
 * The promises inside one page's data, by the numbers the server assigned. They settle as their lines arrive. Those
 * without a line fail at the end.
 */
export class LateReceiver {
  readonly #known = new Map<number, PromiseWithResolvers<unknown>>();
  #over = false;

  promise(id: number): Promise<unknown> {
    return this.#of(id).promise;
  }

  /** Settles a promise if the line is a late value; returns false for any other line. */
  take(line: unknown): boolean {
    if (!isLate(line)) return false;
    const { resolve, reject } = this.#of(line.late);
    if ("value" in line) resolve(fromTagged(line.value, undefined));
    else reject(new LateFailure(line.digest ?? undefined));
    return true;
  }

  /** Rejects the promises that are still open. Has no effect on settled ones. */
  end(): void {
    this.#over = true;
    for (const { reject } of this.#known.values()) reject(new LateFailure(undefined));
  }

  #of(id: number): PromiseWithResolvers<unknown> {
    const known = this.#known.get(id);
    if (known) return known;
    const made = Promise.withResolvers<unknown>();
    // A page that is never shown leaves its promises unread; their rejections are not errors.
    made.promise.catch(() => undefined);
    this.#known.set(id, made);
    if (this.#over) made.reject(new LateFailure(undefined));
    return made;
  }
}

function isLate(line: unknown): line is Late {
  return typeof line === "object" && line !== null && "late" in line && typeof line.late === "number";
}
