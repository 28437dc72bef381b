import { openSync, unlinkSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { Refusals } from "#bounds";
import type { Exchange, LargeBodies } from "#http";
import type { ServerLimits } from "../../limits.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { chunksIn, chunksOf, sendPieces } from "./chunks.ts";
import { sendBusy } from "./send-busy.ts";
import { UnsentStream } from "./unsent-stream.ts";

export type LargeLimits = Pick<
  ServerLimits,
  "largeBytes" | "unsentBytes" | "unsentOnDiskBytes" | "shellMs" | "encoders"
>;

/** How waiting for one's turn ended. */
type Turn = "came" | "too late" | "nobody waits";

/**
 * Large answers of one process. A reader who takes 5 MiB byte by byte would keep all of it in memory, and some hundred
 * of them would fill it. So only so much waits in memory for slow readers; the rest waits on disk. And of pages that
 * are known to be large only so many are made at the same time.
 */
export class LargeAnswers implements LargeBodies {
  readonly #limits: LargeLimits;
  readonly #folder: string;
  /** How large the responses of a page were the last time, by page key. */
  readonly #sizes = new WeakMap<object, number>();
  #waiting: { bytes: number; go: () => void }[] = [];
  #beingMade = 0;
  #inMemory = 0;
  #onDisk = 0;
  #files = 0;
  #encoders = 0;
  readonly #refusals: Refusals;

  constructor(limits: LargeLimits, folder: string, refusals: Refusals = new Refusals()) {
    this.#limits = limits;
    this.#folder = folder;
    this.#refusals = refusals;
  }

  /** Whether a streamed answer may have an encoder, which it has until it is closed. */
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

  /** Remembers a page that is large, so that the next one waits for its turn. */
  note(page: object, bytes: number): void {
    if (bytes > this.#limits.largeBytes) this.#sizes.set(page, bytes);
    else this.#sizes.delete(page);
  }

  /** Whether this page has to wait for its turn: it is known to be large. */
  isLarge(page: object): boolean {
    return this.#sizes.has(page);
  }

  /**
   * Makes and sends a large page in its turn. Nothing is rendered if the wait took too long, or if the client has gone.
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

  /** One page is always made, however large it is. */
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

  /** Whether an answer of this size can wait for its reader, in memory or on disk. */
  hasRoomFor(bytes: number): boolean {
    const hasRoom = this.#onDisk + bytes <= this.#limits.unsentOnDiskBytes;
    if (!hasRoom) this.#refusals.add("unsent-answers");
    return hasRoom;
  }

  refuse(exchange: Exchange): void {
    sendBusy(exchange);
  }

  /**
   * Sends the body of an answer. Resolves when it is out of the caller's hands, which may be long before it was read.
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
    const file = await this.#putAside(body);
    if (!file) return void sendPieces(chunksOf(body), response);
    void sendPieces(chunksIn(file), response).finally(() => file.close().catch(() => undefined));
  }

  /** For an answer whose end is not known yet: what its reader has not taken waits as the answers above do. */
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
   * The answer as a file. Nothing where the disk takes no more: then it waits in memory after all, which the limit of
   * the process's memory bounds.
   */
  async #putAside(body: string | Buffer): Promise<FileHandle | undefined> {
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

  /** An unlinked file: nothing is left behind, however the process ends. */
  async #openFile(): Promise<FileHandle> {
    const place = this.#newPlace();
    const file = await open(place, "wx+", 0o600);
    await unlink(place);
    return file;
  }

  #openFileSync(): number {
    const place = this.#newPlace();
    const file = openSync(place, "wx+", 0o600);
    unlinkSync(place);
    return file;
  }

  #newPlace(): string {
    this.#files += 1;
    return path.join(this.#folder, `unsent-${process.pid}-${this.#files}`);
  }
}

/** Only one body at a time is put aside, and each piece waits for a thread: twenty waits for 5 MiB instead of 320. */
const putAsideBytes = 262_144;
