import { jsonItem, writeEnvelope } from "#protocol";
import type { Identity } from "../trace/identity.ts";

/** Session of one document, which counts towards the health of a release: did it end well, or did it crash? */
export class PageSession {
  readonly #id: string;
  readonly #identity: Identity;
  readonly #send: (envelope: Uint8Array) => void;
  readonly #startedMs: number;
  #errors = 0;
  #status: "ok" | "crashed" = "ok";

  constructor(id: string, identity: Identity, nowMs: number, send: (envelope: Uint8Array) => void) {
    this.#id = id;
    this.#identity = identity;
    this.#send = send;
    this.#startedMs = nowMs;
    this.#sendSession(nowMs, true);
  }

  /** Only the first error and the first crash change the session; further ones are not sent. */
  failed(unhandled: boolean, nowMs: number): void {
    const crashes = unhandled && this.#status === "ok";
    if (crashes) this.#status = "crashed";
    this.#errors++;
    if (crashes || this.#errors === 1) this.#sendSession(nowMs, false);
  }

  #sendSession(nowMs: number, init: boolean): void {
    const { release, environment, sdk } = this.#identity;
    // Health is counted by release; without one there is nothing to count.
    if (release === undefined) return;
    const session = {
      sid: this.#id,
      init,
      started: new Date(this.#startedMs).toISOString(),
      timestamp: new Date(nowMs).toISOString(),
      status: this.#status,
      errors: this.#errors,
      duration: (nowMs - this.#startedMs) / 1000,
      attrs: { release, environment, user_agent: navigator.userAgent },
    };
    this.#send(writeEnvelope({ sdk }, [jsonItem("session", session)]));
  }
}
