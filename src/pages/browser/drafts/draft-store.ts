/** What was typed into one form and not sent with success. */
export interface Draft {
  /** Number of the history entry, the name of the form's slot, and which of the forms of its action it is. */
  place: number;
  name: string;
  nth: number;
  /** Whose it is, as pages are tagged: no other visitor sees it. */
  tag: string;
  /** Wall-clock time of the last key. */
  at: number;
  fields: readonly DraftField[];
}

/** The name of a field, which of the fields of that name it is, and what was typed, ticked or chosen. */
export type DraftField = readonly [name: string, nth: number, value: DraftValue];
export type DraftValue = string | boolean | readonly string[];

export interface DraftLimits {
  /** More than anyone has half filled in at once. */
  forms: number;
  /** All together, in characters: a browser gives a tab 5 million for everything. */
  characters: number;
  ageMs: number;
  /** After the last key. Writing at each key would hold up typing. */
  waitMs: number;
}

export const draftLimits: DraftLimits = { forms: 16, characters: 65_536, ageMs: 86_400_000, waitMs: 1_000 };

/** Where drafts survive a reload: the tab's storage. */
export interface DraftPlace {
  read(): string | null;
  write(text: string): void;
}

/** The drafts of one tab, the newest last. */
export class DraftStore {
  readonly #place: DraftPlace;
  readonly #limits: DraftLimits;
  readonly #now: () => number;
  #drafts: Draft[];

  constructor(place: DraftPlace, limits: DraftLimits, now: () => number) {
    this.#place = place;
    this.#limits = limits;
    this.#now = now;
    this.#drafts = readDrafts(place.read());
  }

  /** Those of a history entry, for the visitor whose page it shows; also what they typed before they were known. */
  at(place: number, tag: string): Draft[] {
    this.#trim();
    return this.#drafts.filter((draft) => draft.place === place && (draft.tag === tag || draft.tag === ""));
  }

  /** In place of what was kept for the same form. Without a field there is nothing to keep. */
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

  /** The same form has another name now. It stays as old as it is. */
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
    this.#place.write(JSON.stringify(this.#drafts));
  }

  /** Lets go of what is too old, then of the oldest until the bounds hold. */
  #trim(): void {
    const { forms, characters, ageMs } = this.#limits;
    const since = this.#now() - ageMs;
    this.#drafts = this.#drafts.filter(({ at }) => at > since && at <= this.#now()).slice(-forms);
    while (JSON.stringify(this.#drafts).length > characters) this.#drafts.shift();
  }
}

/** Anything else in this place was not written by us and counts as nothing. */
function readDrafts(text: string | null): Draft[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter(isDraft) : [];
  } catch {
    return []; // not JSON: as if nothing were kept
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
