import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { messageOf } from "#errors";
import type { ChannelReceiver, ChannelRelay } from "#pages";
import { isWorker } from "../process/worker-mark.ts";
import { checkSocketFolder, makeSocketFolder, type PeerPlace, peerPlaces } from "../service/socket-paths.ts";
import { type PeerLimits, PeerLine, wasLeft } from "./peer-line.ts";
import { type ChannelMessage, isChannelMessage } from "./worker-relay.ts";

export interface FolderRelayLimits extends PeerLimits {
  /** How often a process looks whether its socket is still there. */
  lookMs: number;
}

export interface FolderRelayDeps {
  /** Where a process may have its socket, best first. */
  places: readonly PeerPlace[];
  warn: (sentence: string) => void;
  limits?: FolderRelayLimits;
}

/**
 * A process without its socket hears nothing until it looks; a `stat` in 10 s costs nothing. A live socket is touched
 * 30 times before it counts as left, so that clocks of two machines may differ by minutes. A farewell takes less than a
 * millisecond where the other reads.
 */
const folderRelayLimits: FolderRelayLimits = { lookMs: 10_000, goneMs: 300_000, retryMs: 100, farewellMs: 1_000 };

/** Several of the largest messages: more without an end of a line is none of ours. */
const lineCharacters = 67_108_864;

/** Undefined in a worker, whose first process does it, and on Windows, whose pipes have no folder. */
export function openFolderRelay(serviceFolder: string, warn: FolderRelayDeps["warn"]): FolderRelay | undefined {
  const places = isWorker() ? [] : peerPlaces(serviceFolder);
  return places.length > 0 ? new FolderRelay({ places, warn }) : undefined;
}

/**
 * Carries messages between processes that were started one by one with the same data folder. Each has a socket there,
 * and sends to all others that it finds. One that lives gets each message, late if it reads late, or a gap.
 */
export class FolderRelay implements ChannelRelay {
  readonly #deps: FolderRelayDeps;
  readonly #limits: FolderRelayLimits;
  readonly #lines = new Map<string, PeerLine>();
  readonly #heard = new Set<Socket>();
  readonly #warned = new Set<string>();
  #own: { file: string; server: Server } | undefined;
  #look: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: FolderRelayDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? folderRelayLimits;
  }

  send(channel: string, text: string): Promise<boolean> {
    return this.#sendAll({ kind: "channel", channel, text });
  }

  /** Tells all others that they may have missed messages. */
  async sendGap(): Promise<void> {
    await this.#sendAll({ kind: "channel-gap" });
  }

  /** Synchronous, so that nothing is missed between the first subscription and the socket. */
  listen(receiver: ChannelReceiver): void {
    this.#open(receiver);
    this.#look = setInterval(() => this.#openAgain(receiver), this.#limits.lookMs).unref();
    try {
      // Connecting removes what crashes have left, also where no process sends.
      for (const file of this.#others()) if (wasLeft(file, this.#limits.goneMs)) this.#lineTo(file);
    } catch {
      // Said when something is sent.
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#look);
    this.#closeOwn();
    for (const line of this.#lines.values()) line.end();
  }

  async #sendAll(message: ChannelMessage): Promise<boolean> {
    try {
      const others = this.#isClosed ? [] : this.#others();
      // Who sends in a loop waits for those that read.
      await Promise.all(others.map((file) => this.#lineTo(file).send(message)));
      return true;
    } catch (error) {
      this.#warnOnce("Messages of channels do not reach the other processes of this application", error);
      return false;
    }
  }

  /** The sockets of all other processes. */
  #others(): string[] {
    return this.#deps.places.flatMap(({ folder, prefix }, at) => {
      if (!existsSync(folder)) return [];
      try {
        checkSocketFolder(path.join(folder, prefix));
      } catch (error) {
        if (at === 0) throw error;
        // None of ours is there. Whoever made that folder must not keep the others from being reached.
        return [];
      }
      const files = readdirSync(folder).filter((name) => name.startsWith(prefix));
      return files.map((name) => path.join(folder, name)).filter((file) => file !== this.#own?.file);
    });
  }

  #lineTo(file: string): PeerLine {
    const known = this.#lines.get(file);
    if (known) return known;
    const line = new PeerLine({ file, limits: this.#limits, gone: () => this.#lines.delete(file) });
    this.#lines.set(file, line);
    return line;
  }

  #open(receiver: ChannelReceiver): void {
    const failed = (error: unknown): void => {
      if (!this.#own) this.#warnOnce("Messages of channels do not arrive from other processes", error);
    };
    for (const { folder, prefix } of this.#deps.places) {
      // A name of its own each time: a server that closes removes its file.
      const file = path.join(folder, `${prefix}${randomBytes(4).toString("hex")}.sock`);
      try {
        makeSocketFolder(file);
        const server = createServer((socket) => this.#hear(socket, receiver));
        server.on("error", failed);
        server.listen({ path: file, exclusive: true }).unref();
        if (!server.listening) continue;
        this.#own = { file, server };
        return;
      } catch (error) {
        // A server says after this function why it does not listen. The best place is the one to name.
        process.nextTick(failed, error);
      }
    }
  }

  /** Programs that clear the folder for temporary files remove sockets too. Then no other process finds this one. */
  #openAgain(receiver: ChannelReceiver): void {
    if (this.#own && touch(this.#own.file)) return;
    // Where the data folder has been removed, it is not made again.
    if (this.#own && !existsSync(path.dirname(path.dirname(this.#own.file)))) return;
    this.#closeOwn();
    this.#open(receiver);
    if (this.#own) receiver.gap();
  }

  #closeOwn(): void {
    if (this.#own) rmSync(this.#own.file, { force: true });
    this.#own?.server.close();
    this.#own = undefined;
    const heard = [...this.#heard];
    this.#heard.clear();
    for (const socket of heard) socket.destroy();
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
        this.#warnOnce("Another process of this application sends what cannot be read", error);
        socket.destroy();
      }
    });
    // "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      // A process that was killed may have had more to say.
      if (this.#heard.delete(socket) && !hasEnded) receiver.gap();
    });
  }

  #warnOnce(what: string, why: unknown): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    this.#deps.warn(`${what}: ${messageOf(why)}`);
  }
}

/** Whether the file is there. Others see by its time that it is in use. */
function touch(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch {
    return existsSync(file);
  }
}
