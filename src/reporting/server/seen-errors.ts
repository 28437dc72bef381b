import type { Receipt } from "#signals";
import type { RequestTraceContext } from "./request-context.ts";

/**
 * An error that is caught, reported by hand and thrown on comes by several times, but is one. A lasting one, such as a
 * failed connection that every request meets, is another occurrence each time: so only within one request.
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
