import type { CarriedSubmission } from "../../early-input.ts";
import type { DraftField } from "../drafts/draft-store.ts";
import { returnKey } from "./return-key.ts";

/** A submission of an action with `keeps` whose outcome this browser does not know. */
export interface UnsentSubmission extends CarriedSubmission {
  /** Address of the page with its form. */
  page: string;
  /** Stamp of the visitor who sent it. Absent if the page was for everyone. */
  visitor?: string;
  /** Wall-clock time until which it may be sent again without asking. 0: never. */
  until: number;
  /** Everything that was sent, if that may be stored. Null is a field for a file that was left empty. */
  fields: readonly (readonly [name: string, value: string | null])[];
  /** Passwords, files and the like are missing in `fields`. */
  isPartial: boolean;
  /** What the visitor typed, for the form itself. */
  draft: readonly DraftField[];
}

export interface ReturnLimits {
  /** More than a visitor sends without a connection. */
  submissions: number;
  /** All together, in characters. Browsers give an origin 5 million, and the application may need them. */
  characters: number;
  /** After a week a visitor has sent it in another way, or does not remember it. */
  ageMs: number;
  /** A question about a submission, and the pauses between two: as in `submission-limits.ts`. */
  queryMs: number;
  pollMs: number;
  retryMs: number;
}

export const returnLimits: ReturnLimits = {
  submissions: 10,
  characters: 262_144,
  ageMs: 604_800_000,
  queryMs: 2_000,
  pollMs: 1_000,
  retryMs: 5_000,
};

/** What earlier visits have left. */
export interface LeftBehind {
  unsent: readonly UnsentSubmission[];
}

/** Storage of the browser, for all tabs. It may be denied or full. */
export type ReturnStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface ReturnStoreDeps {
  storage(): ReturnStorage;
  /** Of the application: nothing is sent anywhere else. */
  origin(): string;
  limits: ReturnLimits;
  now(): number;
}

/** Reads and writes at once: no other tab can write in between. */
export class ReturnStore {
  readonly #deps: ReturnStoreDeps;

  constructor(deps: ReturnStoreDeps) {
    this.#deps = deps;
  }

  read(): LeftBehind {
    const { limits, now, origin } = this.#deps;
    const since = now() - limits.ageMs;
    const isOwn = (address: string): boolean => URL.canParse(address) && new URL(address).origin === origin();
    const unsent = readLeft(this.#text()).unsent.filter(
      ({ pressedAt, address, page }) => pressedAt > since && isOwn(address) && isOwn(page),
    );
    return { unsent: unsent.slice(-limits.submissions) };
  }

  find(key: string): UnsentSubmission | undefined {
    return this.read().unsent.find((one) => one.key === key);
  }

  /** Adds a submission or replaces it. Returns false if it cannot be stored. */
  put(one: UnsentSubmission): boolean {
    const others = this.read().unsent.filter(({ key }) => key !== one.key);
    return this.#write({ unsent: [...others, one].slice(-this.#deps.limits.submissions) });
  }

  drop(key: string): void {
    this.#write({ unsent: this.read().unsent.filter((one) => one.key !== key) });
  }

  #text(): string | null {
    try {
      return this.#deps.storage().getItem(returnKey);
    } catch {
      return null;
    }
  }

  #write(left: LeftBehind): boolean {
    try {
      if (left.unsent.length === 0) this.#deps.storage().removeItem(returnKey);
      else {
        const text = JSON.stringify(left);
        // The others stay: they were promised to be sent.
        if (text.length > this.#deps.limits.characters) return false;
        this.#deps.storage().setItem(returnKey, text);
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** Ignores everything that was not written by this code. */
function readLeft(text: string | null): LeftBehind {
  try {
    const { unsent } = fieldsOf(JSON.parse(text ?? "{}"));
    return { unsent: Array.isArray(unsent) ? unsent.filter(isUnsent) : [] };
  } catch {
    return { unsent: [] };
  }
}

const types = {
  name: "string",
  nth: "number",
  slot: "string",
  address: "string",
  entry: "number",
  key: "string",
  attempt: "number",
  pressedAt: "number",
  isEdited: "boolean",
  page: "string",
  until: "number",
  isPartial: "boolean",
} satisfies Partial<Record<keyof UnsentSubmission, string>>;

function isUnsent(value: unknown): value is UnsentSubmission {
  const { fields, draft, visitor, ...plain } = fieldsOf(value);
  return (
    Object.entries(types).every(([name, type]) => typeof plain[name] === type) &&
    (visitor === undefined || typeof visitor === "string") &&
    areLists(fields) &&
    areLists(draft)
  );
}

function areLists(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => Array.isArray(one) && typeof one[0] === "string");
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value : {};
}

/** The store of this browser. */
export const returnStore: ReturnStore = new ReturnStore({
  storage: () => localStorage,
  origin: () => location.origin,
  limits: returnLimits,
  now: Date.now,
});
