import type { IncomingMessage, ServerResponse } from "node:http";
import type { ByteBudget, HeldBytes } from "#bounds";
import { messageOf } from "#errors";
import { discardRest, type Exchange } from "#http";
import type { Projects } from "../projects.ts";
import type { AcceptDeps } from "./accept-envelope.ts";
import { answer } from "./answer.ts";
import { allReaders, type Readers } from "./cors.ts";
import type { IngestDestination } from "./destination.ts";
import type { AcceptOutcome } from "./outcome.ts";
import type { ReceivedBody } from "./received-body.ts";
import type { Decoders } from "./unpack-body.ts";

export interface IngestDeps extends AcceptDeps {
  readonly budget: ByteBudget;
  readonly decoders: Decoders;
  readonly projects: Projects;
  /** Address of the program that sent a request. Undefined if it is not known. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
}

/** One request to the service: the memory it holds, and its one response. */
export class Delivery {
  readonly request: IncomingMessage;
  readonly destination: IngestDestination;
  readonly held: HeldBytes;
  readonly #deps: IngestDeps;
  readonly #response: ServerResponse;
  /** Pages that may read the response, once the key is known. */
  readers: Readers = allReaders;
  #isAnswered = false;

  constructor(deps: IngestDeps, { incoming, response }: Exchange, destination: IngestDestination) {
    this.request = incoming;
    this.destination = destination;
    this.held = deps.budget.hold();
    this.#deps = deps;
    this.#response = response;
  }

  readonly end = (outcome: AcceptOutcome): void => {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.held.release();
    this.#deps.counters.countAnswer(outcome.kind);
    answer(this.#response, outcome, this.readers);
    discardRest(this.request, this.#deps.limits);
  };

  /** Nothing below is expected to throw. If something does, the client may retry, and the counters show it. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const why = messageOf(error);
      this.end({ kind: "unavailable", why: `The service failed: ${why}`, retryAfterSeconds: 5 });
    }
  }
}

/** Outcome of an incomplete body. If the sink stopped it, the sink knows the reason. */
export function failureOf(reading: ReceivedBody): AcceptOutcome | undefined {
  return reading.kind === "complete" || reading.kind === "stopped" ? undefined : reading;
}
