import type { WrittenDefaults } from "#routes";
import { withoutDefaults, writeSearch } from "#routes/href";

export interface SearchChangeDeps {
  /** The address that the browser shows. */
  address(): string;
  /** Replaces it, in the present entry of the history. Loads nothing. */
  writeAddress(address: string): void;
  /** Loads the page at this address and shows it. Scroll position and focus stay. */
  navigate(address: string, replace: boolean): void;
  /** The target of the pending navigation. */
  pending(): string | undefined;
  setTimer(run: () => void, ms: number): () => void;
}

/** Values of a search that its page does not have yet. */
export type ChangedSearch = Readonly<Record<string, unknown>>;

const unchanged: ChangedSearch = {};

/**
 * Longer than the pause between two keys of a person who types quickly, and shorter than what they would notice as
 * waiting.
 */
export const typingPauseMs = 200;

/**
 * The changes that a page makes to its own search. A changed value is visible at once and in the address at once, so
 * that a reload or Back has it whatever happens next. The page is loaded once, after the last of several changes.
 */
export class SearchChanges {
  readonly #deps: SearchChangeDeps;
  readonly #listeners = new Set<() => void>();
  #changes = unchanged;
  #defaults: WrittenDefaults = {};
  /** While changes wait to be loaded. */
  #stopTimer: (() => void) | undefined;
  /** The address that was requested last. */
  #target: string | undefined;

  constructor(deps: SearchChangeDeps) {
    this.#deps = deps;
  }

  readonly read = (): ChangedSearch => this.#changes;

  /** Nothing waits for a component that has gone: the page may still be there. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      if (this.#stopTimer) this.#load(true);
      this.#changes = unchanged;
    };
  };

  change(change: ChangedSearch, defaults: WrittenDefaults, push: boolean): void {
    this.#defaults = defaults;
    this.#update({ ...this.#changes, ...change });
    this.#stopTimer?.();
    if (push) return this.#load(false);
    this.#deps.writeAddress(this.#address());
    this.#stopTimer = this.#deps.setTimer(() => this.#load(true), typingPauseMs);
  }

  /** A page was shown: the one that these changes asked for, an earlier one, or another. */
  pageShown(search: string): void {
    const { address, pending, writeAddress } = this.#deps;
    // It was requested before the last change, and its address has replaced the newer one.
    if (this.#stopTimer) return writeAddress(this.#address());
    // The same page was loaded again while the changes are on their way.
    if (this.#target !== undefined && pending() === this.#target && new URL(address()).search !== search) return;
    this.#target = undefined;
    this.#update(unchanged);
  }

  /** The visitor has asked for something else. What was typed stays in the address of this entry. */
  otherNavigation(): void {
    const pending = this.#deps.pending();
    if (pending === undefined || pending === this.#target) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #load(replace: boolean): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#target = this.#address();
    this.#deps.navigate(this.#target, replace);
  }

  #address(): string {
    return changeSearch(this.#deps.address(), this.#changes, this.#defaults);
  }

  #update(changes: ChangedSearch): void {
    if (changes === this.#changes) return;
    this.#changes = changes;
    for (const listener of this.#listeners) listener();
  }
}

/** Replaces the changed keys of an address and leaves the others as they are written, also those of no schema. */
export function changeSearch(address: string, changes: ChangedSearch, defaults: WrittenDefaults): string {
  const url = new URL(address);
  const { searchParams } = url;
  for (const name of [...searchParams.keys()])
    if (Object.hasOwn(changes, name.split(".", 1)[0] ?? "")) searchParams.delete(name);
  for (const [name, text] of new URLSearchParams(writeSearch(withoutDefaults(changes, defaults))))
    searchParams.append(name, text);
  return url.href;
}
