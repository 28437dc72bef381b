import { serviceErrors } from "../errors.ts";
import type { FromFiling } from "./messages.ts";

/** Reports of the thread that the main thread has not confirmed yet. */
export class PendingReports {
  readonly #post: (message: FromFiling) => void;
  readonly #waiting = new Map<number, (refused: string | undefined) => void>();
  #next = 1;

  constructor(post: (message: FromFiling) => void) {
    this.#post = post;
  }

  /** Resolves when the envelope survives. */
  async send(project: number, envelope: Uint8Array): Promise<void> {
    const id = this.#next;
    this.#next += 1;
    const refused = await new Promise<string | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#post({ kind: "report", id, project, envelope });
    });
    if (refused !== undefined) throw serviceErrors.filingFailed("report", refused);
  }

  settle(id: number, refused: string | undefined): void {
    this.#waiting.get(id)?.(refused);
    this.#waiting.delete(id);
  }
}
