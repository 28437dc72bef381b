import type { ErrorPlace, Receipt, ServerSignals } from "#signals";

/**
 * The errors of one request. The same failure may be reported several times: by a load and a late promise, by React, by
 * a layout that is rendered again around the error page. It is recorded once and keeps its digest. A response that
 * shows a digest waits until it is durable.
 */
export class ErrorLog {
  readonly #signals: ServerSignals;
  readonly #place: Omit<ErrorPlace, "during" | "side">;
  readonly #isNothing: IsNothing;
  readonly #onFirst: (error: unknown, digest: string | undefined) => void;
  /** By the error itself and by its stack. */
  readonly #seen = new Map<unknown, string | undefined>();
  /**
   * By the components in which it was thrown: a layout that throws around the error page has already thrown around the
   * page.
   */
  readonly #rendered = new Map<string, string | undefined>();
  #durable: Promise<unknown> | undefined;

  /** `isNothing` decides what need not be recorded, such as an error caused only by the visitor's leaving. */
  constructor(
    signals: ServerSignals,
    place: Omit<ErrorPlace, "during" | "side">,
    isNothing: IsNothing,
    onFirst: (error: unknown, digest: string | undefined) => void,
  ) {
    this.#signals = signals;
    this.#place = place;
    this.#isNothing = isNothing;
    this.#onFirst = onFirst;
  }

  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  record(
    error: unknown,
    during: ErrorPlace["during"],
    more?: Pick<ErrorPlace, "boundary" | "componentStack" | "keptAction" | "visitorSaw">,
  ): string | undefined {
    const names = namesOf(error);
    const known = names.find((name) => this.#seen.has(name));
    if (known !== undefined || this.#seen.has(error)) return this.#seen.get(known ?? error);
    const components = more?.componentStack ?? "";
    if (during === "error-page" && this.#rendered.has(components)) return this.#rendered.get(components);
    if (this.#isNothing(error, during)) return undefined;
    const receipt = this.#report(error, { ...this.#place, ...more, side: "server", during });
    const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
    if (this.isEmpty) this.#onFirst(error, digest);
    for (const name of names) this.#seen.set(name, digest);
    if (components !== "") this.#rendered.set(components, digest);
    if (receipt.kind === "recorded")
      this.#durable = this.#durable ? Promise.all([this.#durable, receipt.durable]) : receipt.durable;
    return digest;
  }

  /** Gives the substitute of a recorded error the same digest. */
  alsoKnownAs(error: unknown, standIn: unknown): void {
    this.#seen.set(standIn, this.#seen.get(error));
  }

  /** Resolves when everything recorded so far would survive a crash; `undefined` when there is nothing to wait for. */
  get durable(): Promise<unknown> | undefined {
    return this.#durable;
  }

  #report(error: unknown, place: ErrorPlace): Receipt {
    try {
      return this.#signals.errorCaught(error, place);
    } catch {
      // The listener threw, against its contract. The page is sent without a digest.
      return { kind: "unrecorded" };
    }
  }
}

type IsNothing = (error: unknown, during: ErrorPlace["during"]) => boolean;

/**
 * The identity of a failure: the thrown value, and its stack. Rendering the same layout twice throws two errors with
 * the same stack.
 */
function namesOf(error: unknown): unknown[] {
  try {
    if (error instanceof Error && typeof error.stack === "string") return [error, error.stack];
  } catch {
    // Reading a thrown value may throw. Then only the value itself identifies it.
  }
  return [error];
}
