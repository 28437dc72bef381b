import type { IncomingMessage, ServerResponse } from "node:http";
import { HoldfastError } from "#errors";
import * as pageErrors from "../../errors.ts";
import type { ServerLimits } from "../../limits.ts";
import type { EventsSource, ServerEvent } from "../author/visit-scope.ts";
import { isA } from "../is-a.ts";
import { isAbort } from "../page-request.ts";
import type { ErrorLog } from "../problems/error-log.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";

/** The request that a stream answers. */
export interface StreamOwner {
  readonly site: { readonly limits: ServerLimits; readonly streams: OpenStreams };
  readonly request: { readonly incoming: IncomingMessage };
  readonly exchange: { readonly response: ServerResponse };
  readonly errors: Pick<ErrorLog, "record">;
}

/**
 * A browser gives up on a stream for good when it gets another status. So one that cannot be opened now is an empty
 * stream that says when to try again.
 */
export function openEventStream(visit: StreamOwner, source: EventsSource): Response {
  const { site, request } = visit;
  const { eventRetryMs, eventRefusedMs } = site.limits;
  const stream = new EventStream(visit, source);
  const leave = site.streams.add(request.incoming, stream);
  if (!leave) return respond(retryLine(eventRefusedMs));
  return respond(stream.open(retryLine(eventRetryMs), leave));
}

function respond(body: BodyInit): Response {
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      // Middleware that compresses, and proxies such as nginx, would collect events before they send them.
      "cache-control": "private, no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

/** From half to one and a half of the time, so that the clients of a stopped process do not come back all at once. */
function retryLine(ms: number): string {
  return `retry: ${Math.round(ms * (0.5 + Math.random()))}\n\n`;
}

const encoder = new TextEncoder();

/** The client fell behind, or the processes lost each other for a moment: nothing to repair here. */
export function hasMissedMessages(thrown: unknown): boolean {
  return isA(thrown, HoldfastError) && thrown.code === "messages-missed";
}

class EventStream implements OpenStream {
  readonly #visit: StreamOwner;
  readonly #source: EventsSource;
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<"ended">();
  #events: AsyncIterator<ServerEvent> | undefined;
  /** Kept over heartbeats, so that no event is asked for twice. */
  #next: Promise<IteratorResult<ServerEvent>> | undefined;
  #isCancelled = false;
  #leave = (): void => undefined;

  constructor(visit: StreamOwner, source: EventsSource) {
    this.#visit = visit;
    this.#source = source;
  }

  open(firstLine: string, leave: () => void): ReadableStream<Uint8Array> {
    this.#leave = leave;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(encoder.encode(firstLine)),
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#isCancelled = true;
          this.#close();
        },
      },
      // Nothing is asked for ahead of the client.
      { highWaterMark: 0 },
    );
  }

  end(): void {
    this.#close();
  }

  cut(): void {
    this.#close();
    this.#visit.exchange.response.destroy();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const text = await this.#nextText();
    // The client has left.
    if (this.#isCancelled) return;
    if (text !== "") controller.enqueue(encoder.encode(text));
    if (this.#stop.signal.aborted) controller.close();
  }

  /** Never rejects. */
  async #nextText(): Promise<string> {
    const { limits } = this.#visit.site;
    const lastEventId = String(this.#visit.request.incoming.headers["last-event-id"] ?? "") || undefined;
    const { promise: quiet, resolve } = Promise.withResolvers<"quiet">();
    const timer = setTimeout(() => resolve("quiet"), limits.eventHeartbeatMs);
    try {
      this.#events ??= this.#source({ lastEventId, signal: this.#stop.signal })[Symbol.asyncIterator]();
      this.#next ??= this.#events.next();
      const got = await Promise.race([this.#next, quiet, this.#ended.promise]);
      if (got === "ended") return "";
      if (got === "quiet") return ":\n\n";
      this.#next = undefined;
      if (!got.done) return writeEvent(got.value, limits);
      this.#close();
      return "";
    } catch (thrown) {
      this.#next = undefined;
      this.#close();
      // The browser comes back soon and says what it has.
      if (hasMissedMessages(thrown)) return "";
      this.#record(thrown);
      // A source that always fails must not be asked again by every client each second.
      return retryLine(limits.eventRefusedMs);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The source ends too. What it throws on its way out is recorded. */
  #close(): void {
    if (this.#stop.signal.aborted) return;
    this.#leave();
    this.#stop.abort();
    this.#ended.resolve("ended");
    this.#next?.catch((thrown: unknown) => this.#record(thrown));
    Promise.resolve(this.#events?.return?.()).catch((thrown: unknown) => this.#record(thrown));
  }

  #record(thrown: unknown): void {
    if (!isAbort(thrown)) this.#visit.errors.record(thrown, "api", { visitorSaw: "data-error" });
  }
}

function writeEvent({ data, id, event }: ServerEvent, { messageBytes }: ServerLimits): string {
  const text = JSON.stringify(data) ?? "null";
  const bytes = Buffer.byteLength(text);
  if (bytes > messageBytes) throw pageErrors.messageTooLarge("An event", bytes, messageBytes);
  return `${line("id", id)}${line("event", event)}data: ${text}\n\n`;
}

function line(name: "id" | "event", value: string | number | undefined): string {
  if (value === undefined) return "";
  const text = String(value);
  // A line break would begin another field, and browsers ignore an id with a NUL.
  if (/[\r\n\0]/.test(text)) throw pageErrors.wrongEventField(name, text);
  return `${name}: ${text}\n`;
}
