import type { Receipt } from "#signals";
import type { RequestTraceContext } from "./request-context.ts";

/**
 * Returns one receipt for an error that is caught, reported by hand and rethrown. Only within one request: a lasting
 * error object, such as a failed connection that every request meets, is a new occurrence each time.
 */
export class SeenErrors {
  readonly #seen = new WeakMap<object, { request: RequestTraceContext | undefined; receipt: Receipt }>();

  receiptFor(error: unknown, request: RequestTraceContext | undefined, record: () => Receipt): Receipt {
    if (typeof error !== "object" || error === null) return record();
    const known = this.#seen.get(error);
    if (known && known.request === request) return known.receipt;
    const receipt = record();
    this.#seen.set(error, { request, receipt });
    return receipt;
  }
}
