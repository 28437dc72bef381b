import type { IncomingMessage } from "node:http";
import type { HandlerOptions } from "#pages";
import type { LoggedFailure } from "./access-log.ts";

/** Bounds an error message in the access log, which gets its first line only. */
const messageCharacters = 300;

/** Errors of requests, until their log lines are written. */
export class LoggedFailures {
  readonly #failures = new WeakMap<IncomingMessage, LoggedFailure>();
  readonly #cleanText: (text: string) => string;
  readonly #onError: HandlerOptions["onError"];

  constructor(cleanText: (text: string) => string, onError?: HandlerOptions["onError"]) {
    this.#cleanText = cleanText;
    this.#onError = onError;
  }

  note(incoming: IncomingMessage, error: unknown, digest: string | undefined): void {
    this.#failures.set(incoming, { digest, error: this.#cleanText(firstLineOf(error)) });
    this.#onError?.(incoming, error, digest);
  }

  of(incoming: IncomingMessage): LoggedFailure | undefined {
    return this.#failures.get(incoming);
  }
}

function firstLineOf(error: unknown): string {
  try {
    const [line = ""] = String(error).split("\n", 1);
    return line.slice(0, messageCharacters);
  } catch {
    return "something that throws when it is looked at";
  }
}
