import { channel } from "holdfast/server";

export const lampCount = 18;

/** One lamp that a visitor has switched. */
export interface Switched {
  /** Grows by time, also over a restart of the server. */
  id: number;
  lamp: number;
  on: boolean;
  at: Date;
}

/** How many changes the page lists. */
const listed = 6;

/** A room with lamps that all visitors share. In memory, so a restart switches them off. */
class Lamps {
  /** Every change, and how many tabs are connected. */
  readonly news = channel<{ change: Switched } | { tabs: number }>("lamps");
  readonly #on = new Set<number>();
  #log: Switched[] = [];
  #lastId = Date.now();
  #tabs = 0;

  get lit(): number[] {
    return [...this.#on];
  }

  get latest(): readonly Switched[] {
    return this.#log.slice(-listed);
  }

  get lastId(): number {
    return this.#lastId;
  }

  since(id: number): readonly Switched[] {
    return this.#log.filter((change) => change.id > id);
  }

  async switch(lamp: number): Promise<void> {
    const on = !this.#on.has(lamp);
    if (on) this.#on.add(lamp);
    else this.#on.delete(lamp);
    const change = { id: ++this.#lastId, lamp, on, at: new Date() };
    this.#log = [...this.#log, change].slice(-100);
    await this.news.publish({ change });
  }

  /** Counts a connected tab until the signal says that it has gone. */
  enter(signal: AbortSignal): void {
    this.#count(1);
    signal.addEventListener("abort", () => this.#count(-1), { once: true });
  }

  #count(more: number): void {
    this.#tabs += more;
    void this.news.publish({ tabs: this.#tabs });
  }
}

export const lamps = new Lamps();
