import type { IncomingMessage } from "node:http";
import { ByteBudget, ClientCounts, type HeldBytes, isOwnNetwork, Refusals, sourceOf } from "#bounds";
import type { ServerLimits } from "../../limits.ts";
import { clientPart } from "../../settable-limits.ts";

type PostLimits = Pick<ServerLimits, "postedBytes" | "uploadsOnDiskBytes" | "postsAtOnce" | "postsPerClient">;

/** Resources of all concurrent posts: slots, bodies in memory, files on disk. */
export class Posts {
  readonly #memory: ByteBudget;
  readonly #disk: ByteBudget;
  readonly #clientOf: (incoming: IncomingMessage) => string;
  readonly #byClient: ClientCounts;
  readonly #atOnce: number;
  readonly refusals: Refusals;
  #underWay = 0;

  constructor(
    { postedBytes, uploadsOnDiskBytes, postsAtOnce, postsPerClient }: PostLimits,
    clientOf: (incoming: IncomingMessage) => string,
    refusals: Refusals = new Refusals(),
  ) {
    this.#atOnce = postsAtOnce;
    this.#byClient = new ClientCounts(postsPerClient);
    this.#memory = new ByteBudget(postedBytes, postedBytes / clientPart);
    this.#disk = new ByteBudget(uploadsOnDiskBytes, uploadsOnDiskBytes / clientPart);
    this.#clientOf = clientOf;
    this.refusals = refusals;
  }

  /** Reserves a slot for one request; `undefined` when there are too many. */
  open(incoming: IncomingMessage): PostRoom | undefined {
    const address = this.#clientOf(incoming);
    const source = sourceOf(address);
    // Behind a proxy that is not configured as trusted, all visitors share its address.
    const isCounted = !isOwnNetwork(address);
    if (this.#underWay >= this.#atOnce || (isCounted && !this.#byClient.enter(source))) {
      this.refusals.add("posts");
      return undefined;
    }
    this.#underWay += 1;
    return new PostRoom(this.#memory.hold(source), this.#disk.hold(source), this.refusals, () => {
      this.#underWay -= 1;
      if (isCounted) this.#byClient.leave(source);
    });
  }

  get held(): { posts: number; memory: number; disk: number } {
    return { posts: this.#underWay, memory: this.#memory.heldBytes, disk: this.#disk.heldBytes };
  }
}

/** The resources of one post. They have to be given back when the post is no longer needed. */
export class PostRoom {
  readonly #memory: HeldBytes;
  readonly #disk: HeldBytes;
  readonly #refusals: Refusals;
  #leave: (() => void) | undefined;

  constructor(memory: HeldBytes, disk: HeldBytes, refusals: Refusals, leave: () => void) {
    this.#leave = leave;
    this.#memory = memory;
    this.#disk = disk;
    this.#refusals = refusals;
  }

  /** Returns false if there is no space for these bytes now. */
  takeMemory(bytes: number): boolean {
    return this.#counted(this.#memory.take(bytes), "body-memory");
  }

  takeDisk(bytes: number): boolean {
    return this.#counted(this.#disk.take(bytes), "uploads");
  }

  release(): void {
    this.#memory.release();
    this.#disk.release();
    this.#leave?.();
    this.#leave = undefined;
  }

  #counted(isTaken: boolean, resource: string): boolean {
    if (!isTaken) this.#refusals.add(resource);
    return isTaken;
  }
}
