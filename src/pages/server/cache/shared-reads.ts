import type { BypassReason } from "#signals";
import { type OnRead, ReadLog } from "../tracked-context.ts";

/** What belongs to one visitor. The address, the method and the language do not. */
type PersonalRead = Exclude<Extract<BypassReason, { kind: "read" }>["what"], "nonce">;

const personal: ReadonlySet<string> = new Set<PersonalRead>(["cookies", "headers", "locals", "clientAddress"]);

/**
 * Notes the first read of something that belongs to a visitor, while a page is rendered for all of them. The code gets
 * what a visitor without cookies would have. It gets no error: one that is thrown in the midst of a load could leave
 * promises behind that nothing awaits.
 */
export class SharedReads {
  readonly #cookies: readonly string[];
  readonly #log: ReadLog;
  #reason: BypassReason | undefined;

  /** `cookies` may be read. `places`: whether the reason names the line of the read. */
  constructor(cookies: readonly string[], places: boolean) {
    this.#cookies = cookies;
    this.#log = new ReadLog(places);
  }

  /** Why the page cannot be shared. */
  get reason(): BypassReason | undefined {
    return this.#reason;
  }

  readonly note: OnRead = (kind, name, value) => {
    if (this.#reason || !isPersonal(kind) || (kind === "cookies" && this.#cookies.includes(name))) return;
    this.#log.note(kind, name, value);
    this.#reason = { kind: "read", what: kind, name, place: this.#log.first(kind)?.place };
  };

  /** A page that is sent to many has none. */
  noteNonce(): undefined {
    this.#reason ??= { kind: "read", what: "nonce", name: "" };
  }
}

function isPersonal(kind: string): kind is PersonalRead {
  return personal.has(kind);
}
