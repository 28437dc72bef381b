import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { hasCode, messageOf } from "#errors";
import type { ChannelReceiver, ChannelRelay } from "#pages";
import { checkSocketFolder, makeSocketFolder, type PeerPlace, peerPlace } from "../service/socket-paths.ts";
import { BoundedLine, isChannelMessage } from "./worker-relay.ts";

export interface FolderRelayDeps {
  /** Where each process has its socket. */
  place: PeerPlace;
  warn: (sentence: string) => void;
}

/** The last line of a process that stops: whatever it has sent before has arrived. */
const farewell = '"end"\n';

/** Several of the largest messages: more without an end of a line is none of ours. */
const lineCharacters = 67_108_864;

/** Undefined in a worker, whose first process carries its messages, and on Windows, whose pipes have no folder. */
export function openFolderRelay(serviceFolder: string, warn: FolderRelayDeps["warn"]): FolderRelay | undefined {
  const place = cluster.isWorker ? undefined : peerPlace(serviceFolder);
  return place && new FolderRelay({ place, warn });
}

/**
 * Carries messages between processes that were started one by one with the same data folder. Each has a socket there,
 * and sends to all others that it finds.
 */
export class FolderRelay implements ChannelRelay {
  readonly #deps: FolderRelayDeps;
  readonly #own: string;
  readonly #lines = new Map<string, { socket: Socket; line: BoundedLine }>();
  readonly #heard = new Set<Socket>();
  #server: Server | undefined;
  #isClosed = false;
  #hasWarned = false;

  constructor(deps: FolderRelayDeps) {
    this.#deps = deps;
    this.#own = `${deps.place.prefix}${randomBytes(4).toString("hex")}.sock`;
  }

  async send(channel: string, text: string): Promise<boolean> {
    try {
      const others = this.#isClosed ? [] : this.#others();
      const sent = await Promise.all(others.map((name) => this.#lineTo(name).send({ kind: "channel", channel, text })));
      return sent.every(Boolean);
    } catch (error) {
      this.#warnOnce(`Messages of channels do not reach the other processes of this application: ${messageOf(error)}`);
      return false;
    }
  }

  /** Synchronous, so that nothing is missed between the first subscription and the socket. */
  listen(receiver: ChannelReceiver): void {
    const failed = (error: unknown): void =>
      this.#warnOnce(`Messages of channels do not arrive from other processes: ${messageOf(error)}`);
    const { folder } = this.#deps.place;
    const growing = path.join(folder, `.${this.#own}`);
    try {
      makeSocketFolder(growing);
      this.#server = createServer((socket) => this.#hear(socket, receiver));
      this.#server.on("error", failed).listen({ path: growing, exclusive: true }).unref();
      // Others find it when it listens: a socket that refuses them would count as that of a process that has gone.
      renameSync(growing, path.join(folder, this.#own));
    } catch (error) {
      failed(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#server) rmSync(path.join(this.#deps.place.folder, this.#own), { force: true });
    this.#server?.close();
    for (const { socket } of this.#lines.values()) socket.end(farewell);
    for (const socket of this.#heard) socket.destroy();
  }

  #others(): string[] {
    const { folder, prefix } = this.#deps.place;
    if (!existsSync(folder)) return [];
    checkSocketFolder(path.join(folder, this.#own));
    return readdirSync(folder).filter((name) => name.startsWith(prefix) && name !== this.#own);
  }

  #lineTo(name: string): BoundedLine {
    const known = this.#lines.get(name);
    if (known) return known.line;
    const file = path.join(this.#deps.place.folder, name);
    const socket = connect(file).unref();
    const line = new BoundedLine({
      send: (message, sent) => {
        // A process without a socket has gone, and needs no message.
        socket.write(`${JSON.stringify(message)}\n`, (error) => sent(error && existsSync(file) ? error : null));
      },
    });
    socket.on("error", (error) => {
      if (hasCode(error, "ECONNREFUSED")) rmSync(file, { force: true });
    });
    socket.on("close", () => this.#lines.delete(name));
    this.#lines.set(name, { socket, line });
    return line;
  }

  #hear(socket: Socket, receiver: ChannelReceiver): void {
    this.#heard.add(socket.unref());
    let begun = "";
    let hasEnded = false;
    const take = (line: string): void => {
      const message: unknown = JSON.parse(line);
      if (message === "end") hasEnded = true;
      else if (!isChannelMessage(message)) throw new Error(`a line of ${line.length} characters is no message`);
      else if (message.kind === "channel") receiver.message(message.channel, message.text);
      else receiver.gap();
    };
    socket.setEncoding("utf8").on("data", (text: string) => {
      begun += text;
      if (!text.includes("\n") && begun.length <= lineCharacters) return;
      const lines = begun.split("\n");
      begun = lines.pop() ?? "";
      try {
        for (const line of lines) take(line);
        if (begun.length > lineCharacters) throw new Error(`a line has more than ${lineCharacters} characters`);
      } catch (error) {
        this.#warnOnce(`Another process of this application sends what cannot be read: ${messageOf(error)}`);
        socket.destroy();
      }
    });
    // "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#heard.delete(socket);
      // A process that was killed may have had more to say.
      if (!hasEnded && !this.#isClosed) receiver.gap();
    });
  }

  #warnOnce(sentence: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn(sentence);
  }
}
