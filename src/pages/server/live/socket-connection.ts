import { TokenBuckets } from "#bounds";
import * as pageErrors from "../../errors.ts";
import { writeFieldName } from "../../field-names.ts";
import type { ServerLimits } from "../../limits.ts";
import { pathOfIssue } from "../../standard-schema.ts";
import { writeTagged } from "../../tagged-json.ts";
import { Outcome } from "../author/outcome.ts";
import type { Socket } from "../author/socket.ts";
import { readJsonBody } from "../body/read-json.ts";
import { isA } from "../is-a.ts";
import { isAbort } from "../page-request.ts";
import type { ErrorLog } from "../problems/error-log.ts";
import { hasMissedMessages } from "./event-stream.ts";
import type { EndReason, OpenStream, OpenStreams } from "./open-streams.ts";
import type { WebSocketLike } from "./web-socket.ts";

/** The request that opened a socket. */
export interface SocketOwner {
  readonly site: { readonly limits: ServerLimits; readonly streams: OpenStreams };
  readonly errors: Pick<ErrorLog, "record">;
}

/** The parts of the context that belong to the connection. */
export interface Connected {
  signal: AbortSignal;
  messages: AsyncIterable<unknown>;
  send: (message: unknown) => void;
  close: (code?: number, reason?: string) => void;
}

/** Codes of the standard (RFC 6455, IANA), as this server uses them. */
const codes = {
  done: 1000,
  stopping: 1001,
  wrongKind: 1003,
  wrongMessage: 1008,
  failed: 1011,
  changed: 1012,
  tooMuch: 1013,
} as const;

/** The protocol allows 123 bytes. */
const reasonBytes = 123;

/**
 * One socket and its handler. Incoming messages wait for the handler up to a limit, then the network holds the client
 * back. Outgoing messages wait for the client up to a limit, then the client is disconnected.
 */
export class SocketConnection implements OpenStream {
  readonly #owner: SocketOwner;
  readonly #socket: Socket;
  readonly #stop = new AbortController();
  readonly #rate: TokenBuckets;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #wanted: PromiseWithResolvers<void> | undefined;
  #raw: WebSocketLike | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #isAlive = true;
  /** When reading was paused; undefined while it is not. */
  #pausedAt: number | undefined;
  /** Bytes of this socket that `streams` counts as unsent. */
  #unsent = 0;
  #hasRun = false;
  /** By this side. */
  #isClosed = false;
  #isGone = false;
  #leave = (): void => undefined;

  constructor(owner: SocketOwner, socket: Socket) {
    this.#owner = owner;
    this.#socket = socket;
    const { socketMessagesPerSecond: perSecond } = owner.site.limits;
    this.#rate = new TokenBuckets(perSecond * burstSeconds, perSecond, 1);
  }

  /** Runs the handler until it returns. Never rejects. */
  async open(raw: WebSocketLike, leave: () => void, contextWith: (connected: Connected) => unknown): Promise<void> {
    this.#raw = raw;
    this.#leave = leave;
    raw.on("message", (data, isBinary) => this.#receive(data, isBinary));
    raw.on("ping", (data) => {
      // Unread replies to a flood of pings would fill the memory.
      if (this.#mayReceive() && raw.bufferedAmount < this.#owner.site.limits.messageBytes) raw.pong(data);
    });
    raw.on("pong", () => this.#mayReceive());
    // The client broke the protocol or its line did; `close` follows.
    raw.on("error", () => undefined);
    raw.on("close", () => this.#gone());
    this.#heartbeat = setInterval(() => this.#beat(), this.#owner.site.limits.socketPingMs);
    try {
      const connected: Connected = {
        signal: this.#stop.signal,
        messages: { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) },
        send: (message) => this.#send(message),
        close: (code = codes.done, reason = "") => this.#close(code, reason),
      };
      // The socket was written for the parameters of its own route and the messages of its schema.
      await this.#socket.run(contextWith(connected) as never);
      this.#close(codes.done, "");
    } catch (thrown) {
      this.#thrown(thrown);
    } finally {
      this.#hasRun = true;
      this.#leaveIfOver();
    }
  }

  end(why: EndReason): void {
    this.#close(codes[why], why === "stopping" ? "The server stops." : "The server has newer code.");
  }

  cut(): void {
    this.#raw?.terminate();
    this.#hasRun = true;
    this.#gone();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#mayReceive()) return;
    if (isBinary) return this.#close(codes.wrongKind, "Only text is understood.");
    this.#waiting.push(data.toString());
    this.#waitingBytes += data.length;
    const { messageBytes, socketMessagesWaiting } = this.#owner.site.limits;
    if (this.#waiting.length >= socketMessagesWaiting || this.#waitingBytes >= messageBytes) {
      this.#raw?.pause();
      this.#pausedAt ??= performance.now();
    }
    this.#wanted?.resolve();
  }

  /** Counts every frame: pings cost as much as messages. */
  #mayReceive(): boolean {
    this.#isAlive = true;
    if (this.#stop.signal.aborted) return false;
    if (this.#rate.take("", performance.now()) === 0) return true;
    this.#refuse(codes.wrongMessage, "Too many messages.");
    return false;
  }

  async #next(): Promise<IteratorResult<unknown, undefined>> {
    while (this.#waiting.length === 0) {
      if (this.#stop.signal.aborted) return { done: true, value: undefined };
      this.#wanted ??= Promise.withResolvers();
      await this.#wanted.promise;
      this.#wanted = undefined;
    }
    // A client that leaves has said its last messages; one that is closed is not listened to any more.
    if (this.#isClosed) return { done: true, value: undefined };
    const text = this.#waiting.shift() ?? "";
    this.#waitingBytes -= Buffer.byteLength(text);
    if (this.#pausedAt !== undefined && this.#waiting.length === 0) {
      this.#pausedAt = undefined;
      this.#raw?.resume();
    }
    const read = await this.#check(text);
    if (read.kind === "fits") return { done: false, value: read.value };
    this.#close(codes.wrongMessage, read.why);
    return { done: true, value: undefined };
  }

  async #check(text: string): Promise<{ kind: "fits"; value: unknown } | { kind: "wrong"; why: string }> {
    const json = readJsonBody(text, this.#owner.site.limits);
    if (json.kind === "refused") return { kind: "wrong", why: json.why };
    const { receives } = this.#socket;
    if (!receives) return { kind: "fits", value: json.value };
    const result = await receives["~standard"].validate(json.value);
    if (!result.issues) return { kind: "fits", value: result.value };
    const [issue] = result.issues;
    return {
      kind: "wrong",
      why: issue ? `${writeFieldName(pathOfIssue(issue))}: ${issue.message}` : "The message does not fit.",
    };
  }

  /** Never throws, so that it can be a listener: a message that cannot be sent ends the connection as an error. */
  #send(message: unknown): void {
    const raw = this.#raw;
    if (!raw || this.#stop.signal.aborted) return;
    const { streams, limits } = this.#owner.site;
    try {
      const text = writeTagged(message, limits);
      const bytes = Buffer.byteLength(text);
      if (bytes > limits.messageBytes) throw pageErrors.messageTooLarge("A message", bytes, limits.messageBytes);
      raw.send(text, () => this.#countUnsent(raw));
    } catch (thrown) {
      return this.#thrown(thrown);
    }
    this.#countUnsent(raw);
    // One message alone is never too much.
    const atMost = Math.max(limits.socketUnsentBytes, limits.messageBytes);
    // Where all clients together hold too much, those that have taken everything stay.
    if (this.#unsent > atMost || (this.#unsent > 0 && streams.unsent > limits.socketsUnsentBytes))
      this.#refuse(codes.tooMuch, "This client reads too slowly.");
  }

  #countUnsent({ bufferedAmount }: WebSocketLike): void {
    if (this.#stop.signal.aborted) return;
    this.#owner.site.streams.unsent += bufferedAmount - this.#unsent;
    this.#unsent = bufferedAmount;
  }

  #beat(): void {
    const { socketPingMs } = this.#owner.site.limits;
    const isPaused = this.#pausedAt !== undefined;
    if (isPaused && performance.now() - (this.#pausedAt ?? 0) > socketPingMs)
      return this.#refuse(codes.tooMuch, "The messages are not read.");
    if (!this.#isAlive && !isPaused) return this.#raw?.terminate();
    this.#isAlive = false;
    this.#raw?.ping();
  }

  #refuse(code: number, why: string): void {
    this.#owner.site.streams.refuse();
    this.#close(code, why);
  }

  #thrown(thrown: unknown): void {
    if (this.#stop.signal.aborted && isAbort(thrown)) return;
    if (hasMissedMessages(thrown)) return this.#close(codes.tooMuch, "Messages were missed.");
    if (isA(thrown, Outcome) && thrown.ends.kind !== "redirect") {
      const status = thrown.ends.kind === "not-found" ? 404 : thrown.ends.status;
      // As a client that is refused before the socket opens: it shall not try again.
      return this.#close(4_000 + status, "");
    }
    const digest = this.#owner.errors.record(thrown, "socket", { visitorSaw: "data-error" });
    this.#close(codes.failed, digest ?? "");
  }

  #close(code: number, reason: string): void {
    if (this.#stop.signal.aborted) return;
    this.#isClosed = true;
    this.#raw?.close(code, shortened(reason));
    // The client's confirmation comes after what has not been read.
    this.#raw?.resume();
    this.#ended();
  }

  #gone(): void {
    this.#isGone = true;
    this.#ended();
    this.#leaveIfOver();
  }

  #ended(): void {
    if (this.#stop.signal.aborted) return;
    clearInterval(this.#heartbeat);
    this.#owner.site.streams.unsent -= this.#unsent;
    this.#stop.abort();
    this.#wanted?.resolve();
  }

  /** The process waits for the handler too: it may have something to write down. */
  #leaveIfOver(): void {
    if (this.#isGone && this.#hasRun) this.#leave();
  }
}

/** A client may send this many seconds' worth at once. */
const burstSeconds = 2;

function shortened(reason: string): string {
  if (Buffer.byteLength(reason) <= reasonBytes) return reason;
  // A character that was cut in the middle becomes a replacement character of three bytes.
  const cut = Buffer.from(reason).subarray(0, reasonBytes - 5);
  return `${cut.toString().replace(/\uFFFD$/u, "")}…`;
}
