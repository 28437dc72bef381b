import type { CarriedSubmission } from "../../early-input.ts";
import type { Draft, DraftField } from "../drafts/draft-store.ts";
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
  /** Of the event that tells the operator that its action is gone. */
  digest?: string;
}

/** A page that has shown an error with its digest in this browser. */
export interface BrokenPage {
  digest: string;
  /** Address of the page. */
  page: string;
  /** Wall-clock time of the error. */
  at: number;
  /** Tag of the session that saw it: no other visitor is told of it. */
  tag: string;
  /** What was typed into the forms of the page. */
  drafts: readonly BrokenDraft[];
}

export type BrokenDraft = Pick<Draft, "name" | "nth" | "fields">;

export interface ReturnLimits {
  /** More than a visitor sends without a connection. */
  submissions: number;
  /** Pause between two questions whether they are repaired. A repair takes longer. */
  askMs: number;
  /** All together, in characters. Browsers give an origin 5 million, and the application may need them. */
  characters: number;
  /** After a week a visitor has sent it in another way, or does not remember it. One more visit shows it. */
  ageMs: number;
  /** The server remembers submissions for 24 hours; the rest is for clocks that differ. */
  rememberedMs: number;
  /** A question about a submission, and the pauses between two: as in `submission-limits.ts`. */
  queryMs: number;
  pollMs: number;
  retryMs: number;
}

export const returnLimits: ReturnLimits = {
  submissions: 10,
  askMs: 600_000,
  characters: 262_144,
  ageMs: 604_800_000,
  rememberedMs: 82_800_000,
  queryMs: 2_000,
  pollMs: 1_000,
  retryMs: 5_000,
};

/** Limits of remembered pages, which the configuration sets. */
export interface BrokenLimits {
  pages: number;
  ageMs: number;
}

const dayMs = 86_400_000;

/** Reads the attribute `data-answers` of the document: pages, days. Without it, nothing is remembered. */
export function readBrokenLimits(attribute: string | undefined): BrokenLimits {
  const [pages = 0, days = 0] = (attribute ?? "").split(" ").map(Number);
  return { pages, ageMs: days * dayMs };
}

/** What earlier visits have left. */
export interface LeftBehind {
  unsent: readonly UnsentSubmission[];
  broken: readonly BrokenPage[];
  /** Wall-clock time of the last question about broken pages. */
  askedAt: number;
}

/** Storage of the browser, for all tabs. It may be denied or full. */
export type ReturnStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface ReturnStoreDeps {
  storage(): ReturnStorage;
  /** Of the application: nothing is sent anywhere else. */
  origin(): string;
  limits: ReturnLimits;
  broken(): BrokenLimits;
  now(): number;
}

/** Reads and writes at once: no other tab can write in between. */
export class ReturnStore {
  readonly #deps: ReturnStoreDeps;

  constructor(deps: ReturnStoreDeps) {
    this.#deps = deps;
  }

  read(): LeftBehind {
    const { now, origin } = this.#deps;
    const { pages, ageMs } = this.#deps.broken();
    const isOwn = (address: string): boolean => URL.canParse(address) && new URL(address).origin === origin();
    const { unsent, broken, askedAt } = readLeft(this.#text());
    return {
      unsent: unsent.filter(({ address, page }) => isOwn(address) && isOwn(page)),
      broken: newest(
        broken.filter(({ at, page }) => at > now() - ageMs && isOwn(page)),
        pages,
      ),
      askedAt,
    };
  }

  find(key: string): UnsentSubmission | undefined {
    return this.read().unsent.find((one) => one.key === key);
  }

  /** Adds a submission or replaces it. Returns false if it cannot be stored: the others were promised to be sent. */
  put(one: UnsentSubmission): boolean {
    const left = this.read();
    const others = left.unsent.filter(({ key }) => key !== one.key);
    return others.length < this.#deps.limits.submissions && this.#write({ ...left, unsent: [...others, one] });
  }

  /** Whether it is too old to be shown in another visit. */
  isExpired({ pressedAt }: UnsentSubmission): boolean {
    return this.#deps.now() - pressedAt >= this.#deps.limits.ageMs;
  }

  /** Whether the server may have forgotten it. */
  isForgotten({ pressedAt }: UnsentSubmission): boolean {
    return this.#deps.now() - pressedAt >= this.#deps.limits.rememberedMs;
  }

  drop(key: string): void {
    const left = this.read();
    this.#write({ ...left, unsent: left.unsent.filter((one) => one.key !== key) });
  }

  /** Remembers a page that has shown an error; without its text if that is too large. */
  putBroken(one: BrokenPage): void {
    const left = this.read();
    const others = left.broken.filter(({ page }) => page !== one.page);
    const { pages } = this.#deps.broken();
    const add = (added: BrokenPage): boolean => this.#write({ ...left, broken: newest([...others, added], pages) });
    if (!add(one)) add({ ...one, drafts: [] });
  }

  dropBroken(digest: string): void {
    const left = this.read();
    this.#write({ ...left, broken: left.broken.filter((one) => one.digest !== digest) });
  }

  /** Returns the broken pages to ask about now, and records that. None if that was done a short time ago. */
  takeQuestions(): readonly BrokenPage[] {
    const { now, limits } = this.#deps;
    const left = this.read();
    // A clock that was set back must not stop the questions.
    const isEarly = left.askedAt <= now() && now() - left.askedAt < limits.askMs;
    const due = isEarly ? [] : left.broken.filter(({ at }) => now() - at >= limits.askMs);
    if (due.length > 0) this.#write({ ...left, askedAt: now() });
    return due;
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
      if (left.unsent.length + left.broken.length === 0) this.#deps.storage().removeItem(returnKey);
      else {
        const text = JSON.stringify(left);
        if (text.length > this.#deps.limits.characters) return false;
        this.#deps.storage().setItem(returnKey, text);
      }
      return true;
    } catch {
      return false;
    }
  }
}

function newest<One>(list: readonly One[], count: number): readonly One[] {
  return count === 0 ? [] : list.slice(-count);
}

/** Ignores everything that was not written by this code. */
function readLeft(text: string | null): LeftBehind {
  try {
    const { unsent, broken, askedAt } = fieldsOf(JSON.parse(text ?? "{}"));
    return {
      unsent: Array.isArray(unsent) ? unsent.filter(isUnsent) : [],
      broken: Array.isArray(broken) ? broken.filter(isBroken) : [],
      askedAt: typeof askedAt === "number" ? askedAt : 0,
    };
  } catch {
    return { unsent: [], broken: [], askedAt: 0 };
  }
}

function isBroken(value: unknown): value is BrokenPage {
  const { digest, page, at, tag, drafts } = fieldsOf(value);
  return (
    [digest, page, tag].every((one) => typeof one === "string") &&
    typeof at === "number" &&
    Array.isArray(drafts) &&
    drafts.every(isBrokenDraft)
  );
}

function isBrokenDraft(value: unknown): value is BrokenDraft {
  const { name, nth, fields } = fieldsOf(value);
  return typeof name === "string" && typeof nth === "number" && areLists(fields);
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
  const { fields, draft, visitor, digest, ...plain } = fieldsOf(value);
  return (
    Object.entries(types).every(([name, type]) => typeof plain[name] === type) &&
    [visitor, digest].every((one) => one === undefined || typeof one === "string") &&
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
  broken: () => readBrokenLimits(document.querySelector<HTMLElement>("[data-answers]")?.dataset.answers),
  now: Date.now,
});
