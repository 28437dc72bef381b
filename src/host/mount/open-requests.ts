import type { ServerResponse } from "node:http";

/** The requests in progress of an application that has no server of its own. */
export class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  #whenIdle: PromiseWithResolvers<void> | undefined;

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once("close", () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#whenIdle?.resolve();
    });
  }

  /** Resolves when none is in progress. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  cut(): void {
    for (const response of this.#open) response.destroy();
  }
}
