import type { IncomingMessage } from "node:http";
import { ByteBudget, type HeldBytes, Refusals, sourceOf } from "#bounds";
import type { ServerLimits } from "../limits.ts";

type PostLimits = Pick<ServerLimits, "postedBytes" | "uploadsOnDiskBytes">;

/** One client holds at most this part of what all share, so that one cannot use it up. */
const clientPart = 4;

/** What the posts of all visitors hold together while they are under way: bodies in memory, files on disk. */
export class Posts {
  readonly #memory: ByteBudget;
  readonly #disk: ByteBudget;
  readonly #clientOf: (incoming: IncomingMessage) => string;
  readonly refusals: Refusals;

  constructor(
    { postedBytes, uploadsOnDiskBytes }: PostLimits,
    clientOf: (incoming: IncomingMessage) => string,
    refusals = new Refusals(),
  ) {
    this.#memory = new ByteBudget(postedBytes, postedBytes / clientPart);
    this.#disk = new ByteBudget(uploadsOnDiskBytes, uploadsOnDiskBytes / clientPart);
    this.#clientOf = clientOf;
    this.refusals = refusals;
  }

  /** What one request may hold. */
  open(incoming: IncomingMessage): PostRoom {
    const source = sourceOf(this.#clientOf(incoming));
    return new PostRoom(this.#memory.hold(source), this.#disk.hold(source), this.refusals);
  }

  get heldBytes(): { memory: number; disk: number } {
    return { memory: this.#memory.heldBytes, disk: this.#disk.heldBytes };
  }
}

/** The room of one post. It has to be given back when nothing of the post is needed any more. */
export class PostRoom {
  readonly #memory: HeldBytes;
  readonly #disk: HeldBytes;
  readonly #refusals: Refusals;

  constructor(memory: HeldBytes, disk: HeldBytes, refusals: Refusals) {
    this.#memory = memory;
    this.#disk = disk;
    this.#refusals = refusals;
  }

  /** `false`: there is no room for them now. */
  takeMemory(bytes: number): boolean {
    return this.#counted(this.#memory.take(bytes), "body-memory");
  }

  takeDisk(bytes: number): boolean {
    return this.#counted(this.#disk.take(bytes), "uploads");
  }

  giveBack(): void {
    this.#memory.giveBack();
    this.#disk.giveBack();
  }

  #counted(isTaken: boolean, resource: string): boolean {
    if (!isTaken) this.#refusals.add(resource);
    return isTaken;
  }
}
