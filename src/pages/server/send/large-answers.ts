import { openSync, unlinkSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { Refusals } from "#bounds";
import type { Exchange, LargeBodies } from "#http";
import type { ServerLimits } from "../../limits.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { chunksIn, chunksOf, sendPieces } from "./chunks.ts";
import { type SendBusy, sendBusy } from "./send-busy.ts";
import { UnsentStream } from "./unsent-stream.ts";

export type LargeLimits = Pick<
  ServerLimits,
  "largeBytes" | "unsentBytes" | "unsentOnDiskBytes" | "shellMs" | "encoders"
>;

/** How waiting for a turn ended. */
type Turn = "came" | "too late" | "nobody waits";

/**
 * Large responses of one process. A client that reads 5 MiB byte by byte would keep all of it in memory, and some
 * hundred of them would fill it. So memory for slow clients is limited, and the rest waits on disk. The number of known
 * large pages that are rendered at the same time is limited too.
 */
export class LargeAnswers implements LargeBodies {
  readonly #limits: LargeLimits;
  readonly #folder: string;
  /** Size of a page's last response, by page key. */
  readonly #sizes = new WeakMap<object, number>();
  #waiting: { bytes: number; go: () => void }[] = [];
  #beingMade = 0;
  #inMemory = 0;
  #onDisk = 0;
  #files = 0;
  #encoders = 0;
  readonly #refusals: Refusals;

  readonly #busy: SendBusy;

  constructor(limits: LargeLimits, folder: string, refusals: Refusals = new Refusals(), busy: SendBusy = sendBusy) {
    this.#busy = busy;
    this.#limits = limits;
    this.#folder = folder;
    this.#refusals = refusals;
  }

  /** Reserves an encoder for a streamed response until it is closed. Returns false if all are in use. */
  takeEncoder(response: ServerResponse): boolean {
    if (this.#encoders >= this.#limits.encoders) {
      this.#refusals.add("encoders");
      return false;
    }
    this.#encoders += 1;
    response.once("close", () => {
      this.#encoders -= 1;
    });
    return true;
  }

  /** Records that a page is large, so that its next request waits for its turn. */
  note(page: object, bytes: number): void {
    if (bytes > this.#limits.largeBytes) this.#sizes.set(page, bytes);
    else this.#sizes.delete(page);
  }

  /** Whether this page has to wait for its turn, because it is known to be large. */
  isLarge(page: object): boolean {
    return this.#sizes.has(page);
  }

  /**
   * Renders and sends a large page in its turn. Nothing is rendered if the wait took too long, or if the client has
   * gone.
   */
  async inTurn(page: object, response: ServerResponse, make: () => MaybePromise<void>): Promise<Turn> {
    const bytes = this.#sizes.get(page) ?? 0;
    if (this.#mayBegin(bytes)) this.#beingMade += bytes;
    else {
      const turn = await this.#called(bytes, response);
      if (turn !== "came") return turn;
    }
    try {
      await make();
      return "came";
    } finally {
      this.#made(bytes);
    }
  }

  async #called(bytes: number, response: ServerResponse): Promise<Turn> {
    const { promise, resolve } = Promise.withResolvers<Turn>();
    const waiter = { bytes, go: () => resolve("came") };
    // Leaves the queue at once, so that the next turn does not go to a client that has gone.
    const leave = (turn: Turn): void => {
      this.#waiting = this.#waiting.filter((one) => one !== waiter);
      resolve(turn);
    };
    const leaveForGood = (): void => leave("nobody waits");
    const timer = setTimeout(() => leave("too late"), this.#limits.shellMs);
    this.#waiting.push(waiter);
    response.once("close", leaveForGood);
    const turn = await promise;
    clearTimeout(timer);
    response.off("close", leaveForGood);
    return turn;
  }

  /** One page is always allowed, even if it exceeds the limit. */
  #mayBegin(bytes: number): boolean {
    return this.#beingMade === 0 || this.#beingMade + bytes <= this.#limits.unsentBytes;
  }

  #made(bytes: number): void {
    this.#beingMade -= bytes;
    for (let next = this.#waiting[0]; next && this.#mayBegin(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#beingMade += next.bytes;
      next.go();
    }
  }

  isLargeAnswer(bytes: number): boolean {
    return bytes > this.#limits.largeBytes;
  }

  /** Whether a response of this size can wait for its client, in memory or on disk. */
  hasRoomFor(bytes: number): boolean {
    const hasRoom = this.#onDisk + bytes <= this.#limits.unsentOnDiskBytes;
    if (!hasRoom) this.#refusals.add("unsent-answers");
    return hasRoom;
  }

  refuse(exchange: Exchange): void {
    this.#busy(exchange);
  }

  /**
   * Sends the body of a response. Resolves when the caller may drop it, which may be long before the client has read
   * it.
   */
  async send(response: ServerResponse, body: string | Buffer, bytes: number): Promise<void> {
    if (this.#inMemory + bytes <= this.#limits.unsentBytes) {
      this.#inMemory += bytes;
      response.once("close", () => {
        this.#inMemory -= bytes;
      });
      void sendPieces(chunksOf(body), response);
      return;
    }
    this.#onDisk += bytes;
    response.once("close", () => {
      this.#onDisk -= bytes;
    });
    const file = await this.#spillToDisk(body);
    if (!file) return void sendPieces(chunksOf(body), response);
    void sendPieces(chunksIn(file), response).finally(() => file.close().catch(() => undefined));
  }

  /** For a response of unknown length: its unsent part waits like the bodies above. */
  stream(response: ServerResponse): UnsentStream {
    return new UnsentStream(response, {
      largeBytes: this.#limits.largeBytes,
      openFile: () => this.#openFileSync(),
      mayKeepInMemory: (bytes) => this.#inMemory + bytes <= this.#limits.unsentBytes,
      mayKeepOnDisk: (bytes) => this.hasRoomFor(bytes),
      count: (inMemory, onDisk) => {
        this.#inMemory += inMemory;
        this.#onDisk += onDisk;
      },
    });
  }

  /**
   * Writes the body to a file. Undefined if the disk is full: then the body waits in memory, bounded by the memory
   * limit of the process.
   */
  async #spillToDisk(body: string | Buffer): Promise<FileHandle | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await this.#openFile();
      for (const piece of chunksOf(body, putAsideBytes)) await file.write(piece);
      return file;
    } catch {
      await file?.close();
      return undefined;
    }
  }

  /** An unlinked file: it disappears with the process, even after a crash. */
  async #openFile(): Promise<FileHandle> {
    const filePath = this.#newFilePath();
    const file = await open(filePath, "wx+", 0o600);
    await unlink(filePath);
    return file;
  }

  #openFileSync(): number {
    const filePath = this.#newFilePath();
    const file = openSync(filePath, "wx+", 0o600);
    unlinkSync(filePath);
    return file;
  }

  #newFilePath(): string {
    this.#files += 1;
    return path.join(this.#folder, `unsent-${process.pid}-${this.#files}`);
  }
}

/** Larger pieces mean fewer waits for a thread: 20 for 5 MiB instead of 320. Only one body at a time is written. */
const putAsideBytes = 262_144;
