import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Asked, type Fault, FaultRule, fits, type Pattern } from "./fault-rules.ts";

/** A request as the proxy received it, in order of arrival. */
export interface RecordedRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The request body, up to 1 MiB. */
  body: Buffer;
  /** Milliseconds since the proxy was opened. */
  atMs: number;
  /** How it ended, updated as it happens. `gone`: the client did not wait for the end. */
  end: "open" | "complete" | "cut" | "gone";
  endedAtMs?: number;
  /** As sent to the client. */
  status?: number;
  answerHeaders?: OutgoingHttpHeaders;
  /** Bytes of the response body that were sent. */
  bytes: number;
}

const recordedBodyBytes = 1_048_576;
// They apply to one connection; a proxy has two.
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

/** Opens a proxy in front of `target` that forwards everything until a rule is added. */
export async function faultProxy(target: string): Promise<FaultProxy> {
  const proxy = new FaultProxy(new URL(target));
  await proxy.online();
  return proxy;
}

/**
 * Longer than any test takes. A connection that is closed while a request is sent on it would be a fault that no test
 * has asked for. For the same reason the proxy uses each connection to the application once.
 */
const patient = { keepAliveTimeout: 600_000, headersTimeout: 0, requestTimeout: 0 };

/** A proxy between browser and application that applies fault rules and records every request. */
export class FaultProxy {
  readonly requests: RecordedRequest[] = [];
  readonly #target: URL;
  readonly #agent = new Agent({ keepAlive: false });
  readonly #sockets = new Set<Socket>();
  readonly #opened = performance.now();
  #rules: FaultRule[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(target: URL) {
    this.#target = target;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Adds a rule. Of several matching rules, the newest applies. */
  when(pattern: Pattern): FaultRule {
    const rule = new FaultRule(pattern, (gone) => {
      this.#rules = this.#rules.filter((kept) => kept !== gone);
    });
    this.#rules.unshift(rule);
    return rule;
  }

  /** Removes all rules. */
  healed(): void {
    this.#rules = [];
  }

  requestsFor(pattern: Pattern): RecordedRequest[] {
    return this.requests.filter((asked) => fits(pattern, asked));
  }

  forgetRequests(): void {
    this.requests.length = 0;
  }

  /** Closes open connections and refuses new ones. */
  async offline(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(server, "close");
  }

  /** Listens again at the same address. */
  async online(): Promise<void> {
    if (this.#server) return;
    const server = createServer(patient, (asked, answer) => void this.#handle(asked, answer));
    server.on("connection", (socket) => this.#watch(socket));
    server.on("upgrade", (asked, socket, head) => this.#passUpgrade(asked, socket as Socket, head));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    await this.offline();
    this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  /** Records the request, waits, then responds itself or forwards. */
  async #handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const record = this.#record(asked, answer);
    const fault = this.#faultFor(record);

    if (fault.delayMs) await wait(fault.delayMs);
    if (fault.gate) await fault.gate;
    if (fault.hang || answer.destroyed) return;
    if (fault.drop) return tear(answer, record);

    const body = new BodyWriter(answer, record, fault);
    if (fault.answer) {
      const { status, headers, body: content } = fault.answer;
      sendHead(answer, record, status, { "content-length": Buffer.byteLength(content), ...headers }, fault);
      await body.write(Buffer.from(content));
      return body.end();
    }
    await this.#passOn(asked, answer, record, fault, body);
  }

  #record(asked: IncomingMessage, answer: ServerResponse): RecordedRequest {
    const { method = "GET", url = "/", headers } = asked;
    const now = () => performance.now() - this.#opened;
    const record: RecordedRequest = {
      method,
      path: url,
      headers,
      body: Buffer.alloc(0),
      atMs: now(),
      end: "open",
      bytes: 0,
    };
    this.requests.push(record);
    asked.on("data", (chunk: Buffer) => {
      if (record.body.length < recordedBodyBytes) record.body = Buffer.concat([record.body, chunk]);
    });
    answer.on("close", () => {
      if (record.end === "open") record.end = answer.writableFinished ? "complete" : "gone";
      record.endedAtMs = now();
    });
    return record;
  }

  #faultFor(asked: Asked): Fault {
    return this.#rules.find((rule) => rule.take(asked))?.fault ?? {};
  }

  #passOn(
    asked: IncomingMessage,
    answer: ServerResponse,
    record: RecordedRequest,
    fault: Fault,
    body: BodyWriter,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onward = request(this.#target, {
      method: record.method,
      path: record.path,
      headers: withoutConnection(asked.headers),
      agent: this.#agent,
    });
    // The application closed the connection or is not running: the client gets the same.
    const giveUp = () => {
      tear(answer, record);
      resolve();
    };
    const passBack = async (given: IncomingMessage) => {
      await fault.responded?.();
      sendHead(answer, record, given.statusCode ?? 502, withoutConnection(given.headers), fault);
      for await (const chunk of given) await body.write(chunk as Buffer);
      body.end();
    };
    onward.on("error", giveUp);
    onward.on("response", (given) => passBack(given).then(resolve, giveUp));
    answer.on("close", () => onward.destroy());
    // The part that arrived while the request was held has already been read.
    onward.write(record.body);
    asked.pipe(onward);
    // An application may answer before it has the whole body. A browser reads the answer when it has sent everything.
    onward.on("close", () => asked.resume());
    return promise;
  }

  #passUpgrade(asked: IncomingMessage, socket: Socket, head: Buffer): void {
    const onward = connect(Number(this.#target.port), this.#target.hostname, () => {
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
      for (let index = 0; index < asked.rawHeaders.length; index += 2) {
        lines.push(`${asked.rawHeaders[index]}: ${asked.rawHeaders[index + 1]}`);
      }
      onward.write(`${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.on("close", () => onward.destroy());
  }
}

/** Writes a body according to the fault: whole, in pieces, or only its beginning. */
class BodyWriter {
  readonly #answer: ServerResponse;
  readonly #record: RecordedRequest;
  readonly #fault: Fault;
  #stalled = false;

  constructor(answer: ServerResponse, record: RecordedRequest, fault: Fault) {
    this.#answer = answer;
    this.#record = record;
    this.#fault = fault;
  }

  async write(chunk: Buffer): Promise<void> {
    const { drip } = this.#fault;
    const size = drip?.bytes ?? chunk.length;
    for (let start = 0; start < chunk.length; start += size) {
      if (drip) await wait(drip.everyMs);
      await this.#writePiece(chunk.subarray(start, start + size));
    }
  }

  end(): void {
    if (!this.#stalled && !this.#answer.destroyed) this.#answer.end();
  }

  async #writePiece(piece: Buffer): Promise<void> {
    const { cutAfterBytes, stallAfterBytes } = this.#fault;
    const limit = Math.min(cutAfterBytes ?? Number.POSITIVE_INFINITY, stallAfterBytes ?? Number.POSITIVE_INFINITY);
    const sent = piece.subarray(0, Math.max(0, limit - this.#record.bytes));
    if (sent.length > 0 && !this.#answer.destroyed) {
      this.#record.bytes += sent.length;
      if (!this.#answer.write(sent)) await this.#roomForMore();
    }
    if (this.#record.bytes < limit) return;
    this.#stalled = true;
    if (cutAfterBytes !== undefined) this.#cut();
  }

  async #roomForMore(): Promise<void> {
    const heard = new AbortController();
    const { signal } = heard;
    await Promise.race([once(this.#answer, "drain", { signal }), once(this.#answer, "close", { signal })]);
    // Removes the other listener; otherwise one would remain for each piece.
    heard.abort();
  }

  /** Flushes what was written before it destroys the connection. */
  #cut(): void {
    this.#answer.write("", () => tear(this.#answer, this.#record));
  }
}

function tear(answer: ServerResponse, record: RecordedRequest): void {
  if (record.end === "open" && !answer.destroyed) record.end = "cut";
  answer.destroy();
}

function sendHead(
  answer: ServerResponse,
  record: RecordedRequest,
  status: number,
  headers: OutgoingHttpHeaders,
  fault: Fault,
): void {
  record.status = fault.status ?? status;
  record.answerHeaders = { ...headers };
  for (const [name, value] of Object.entries(fault.headers ?? {})) record.answerHeaders[name.toLowerCase()] = value;
  for (const [name, value] of Object.entries(record.answerHeaders)) {
    if (value !== undefined) answer.setHeader(name, value);
  }
  answer.writeHead(record.status);
  // At once, even without a body: the first line of a page-data response may arrive much later than its head.
  answer.flushHeaders();
}

function withoutConnection(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name)));
}
