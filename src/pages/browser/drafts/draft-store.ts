/** What was typed into one form and not yet sent successfully. */
export interface Draft {
  /**
   * Number of the history entry, name of the form's slot, and index of the form among those of its action. 0: the entry
   * that shows the form next.
   */
  place: number;
  name: string;
  nth: number;
  /** Tag of the session it was typed in: no other visitor sees it. */
  tag: string;
  /** Wall-clock time of the last input. */
  at: number;
  fields: readonly DraftField[];
}

/** Name of a field, its index among fields of that name, and what was typed, ticked or chosen. */
export type DraftField = readonly [name: string, nth: number, value: DraftValue];
export type DraftValue = string | boolean | readonly string[];

export interface DraftLimits {
  /** More forms than a visitor has half filled in at once. */
  forms: number;
  /** All drafts together, in characters. Browsers give a tab's storage 5 million in total. */
  characters: number;
  ageMs: number;
  /** Delay after the last input: writing at each key would slow down typing. */
  waitMs: number;
}

export const draftLimits: DraftLimits = { forms: 16, characters: 65_536, ageMs: 86_400_000, waitMs: 1_000 };

/** Storage that survives a reload. */
export interface DraftStorage {
  read(): string | null;
  write(text: string): void;
}

/** The drafts of one tab, newest last. */
export class DraftStore {
  readonly #storage: DraftStorage;
  readonly #limits: DraftLimits;
  readonly #now: () => number;
  #drafts: Draft[];

  constructor(storage: DraftStorage, limits: DraftLimits, now: () => number) {
    this.#storage = storage;
    this.#limits = limits;
    this.#now = now;
    this.#drafts = readDrafts(storage.read());
  }

  /**
   * Returns the drafts of a history entry, and those of none, for the session of its page, and those typed before the
   * visitor was known.
   */
  at(place: number, tag: string): Draft[] {
    this.#trim();
    return this.#drafts.filter(
      (draft) => (draft.place === place || draft.place === 0) && (draft.tag === tag || draft.tag === ""),
    );
  }

  /** Replaces the draft of the same form. A draft without fields is not stored. */
  keep(draft: Omit<Draft, "at">): void {
    this.drop(draft.place, draft.name);
    if (draft.fields.length > 0) this.#drafts.push({ ...draft, at: this.#now() });
  }

  drop(place: number, name: string): void {
    this.#drafts = this.#drafts.filter((draft) => draft.place !== place || draft.name !== name);
  }

  /** Whether something was typed into the form after `at`. */
  isNewer(place: number, name: string, at: number): boolean {
    return this.#drafts.some((draft) => draft.place === place && draft.name === name && draft.at > at);
  }

  /** Renames the draft of a form whose slot name has changed. Its age stays. */
  rename(draft: Draft, name: string): void {
    if (draft.name !== name) this.drop(draft.place, name);
    draft.name = name;
  }

  erase(): void {
    this.#drafts = [];
    this.write();
  }

  write(): void {
    this.#trim();
    this.#storage.write(JSON.stringify(this.#drafts));
  }

  /** Drops drafts that are too old, then the oldest until the limits hold. */
  #trim(): void {
    const { forms, characters, ageMs } = this.#limits;
    const since = this.#now() - ageMs;
    this.#drafts = this.#drafts.filter(({ at }) => at > since && at <= this.#now()).slice(-forms);
    while (JSON.stringify(this.#drafts).length > characters) this.#drafts.shift();
  }
}

/** Ignores everything that was not written by this code. */
function readDrafts(text: string | null): Draft[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter(isDraft) : [];
  } catch {
    return []; // not JSON: as if nothing were stored
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const { place, name, nth, tag, at, fields } = value as Partial<Record<string, unknown>>;
  return (
    [place, nth, at].every((one) => typeof one === "number") &&
    [name, tag].every((one) => typeof one === "string") &&
    Array.isArray(fields) &&
    fields.every(isField)
  );
}

function isField(value: unknown): value is DraftField {
  if (!Array.isArray(value)) return false;
  const [name, nth, typed]: unknown[] = value;
  const isTyped = Array.isArray(typed)
    ? typed.every((one) => typeof one === "string")
    : typeof typed === "string" || typeof typed === "boolean";
  return typeof name === "string" && typeof nth === "number" && isTyped;
}
