import type { ProtocolLimits } from "./limits.ts";
import { isObject, type JsonObject } from "./loose-values.ts";

/**
 * Trims an event to its limits, and notes what was left out. An event is never refused for its number of frames,
 * variables or context entries.
 */
export class Trim {
  readonly #limits: ProtocolLimits;
  readonly #leftOut = new Map<string, number>();
  /** Remaining entries of objects and lists whose names the client chooses, for the whole event. */
  #entriesLeft: number;

  constructor(limits: ProtocolLimits) {
    this.#limits = limits;
    this.#entriesLeft = limits.jsonKeys;
  }

  /** One sentence for each kind of entry that was trimmed. */
  get remarks(): readonly string[] | undefined {
    if (this.#leftOut.size === 0) return undefined;
    return [...this.#leftOut].map(([what, n]) => `Too many ${what}: ${n.toLocaleString("en")} left out.`);
  }

  note(what: string, leftOut: number): void {
    if (leftOut > 0) this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + leftOut);
  }

  /** Keeps the last entries of a list, which are nearest to the error. */
  newest<T>(list: readonly T[], atMost: number, what: string): readonly T[] {
    this.note(what, list.length - atMost);
    return list.length > atMost ? list.slice(-atMost) : list;
  }

  /** Keeps the outermost and the innermost entries: in an endless recursion the middle is redundant. */
  ends<T>(list: readonly T[], atMost: number, what: string): readonly T[] {
    this.note(what, list.length - atMost);
    const half = Math.floor(atMost / 2);
    return list.length > atMost ? [...list.slice(0, half), ...list.slice(half - atMost)] : list;
  }

  object(value: unknown, what: string): JsonObject | undefined {
    // An object stays an object.
    return isObject(value) ? (this.free(value, what) as JsonObject) : undefined;
  }

  /** Trims a value of unknown form. Returns the same value if all of it is kept. */
  free(value: unknown, what: string): unknown {
    if (typeof value !== "object" || value === null || this.#limits.jsonKeys === Number.POSITIVE_INFINITY) return value;
    // One endless value must not use up the entries of those read after it.
    const reserve = Math.min(this.#limits.jsonKeys / 10, Math.floor(this.#entriesLeft / 2));
    const share = { left: this.#entriesLeft - reserve, leftOut: 0 };
    const before = share.left;
    const kept = keepEntries(value, share, this.#limits.jsonDepth);
    this.#entriesLeft -= before - share.left;
    this.note(`entries of ${what}`, share.leftOut);
    return kept;
  }
}

interface Share {
  left: number;
  leftOut: number;
}

function keepEntries(value: unknown, share: Share, depthLeft: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? keepList(value, share, depthLeft) : keepObject(value as JsonObject, share, depthLeft);
}

function keepList(list: readonly unknown[], share: Share, depthLeft: number): readonly unknown[] {
  let kept: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    if (share.left === 0 || depthLeft === 0) {
      share.leftOut += list.length - index;
      return (kept ?? list).slice(0, index);
    }
    share.left -= 1;
    const after = keepEntries(entry, share, depthLeft - 1);
    if (after === entry) continue;
    kept ??= [...list];
    kept[index] = after;
  }
  return kept ?? list;
}

function keepObject(object: JsonObject, share: Share, depthLeft: number): JsonObject {
  const kept: [string, unknown][] = [];
  let isWhole = true;
  for (const name in object) {
    if (share.left === 0 || depthLeft === 0) {
      share.leftOut += 1;
      isWhole = false;
      continue;
    }
    share.left -= 1;
    const after = keepEntries(object[name], share, depthLeft - 1);
    isWhole &&= after === object[name];
    kept.push([name, after]);
  }
  return isWhole ? object : Object.fromEntries(kept);
}
