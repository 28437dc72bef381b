import { type CarriedSubmission, carriedKey } from "../../early-input.ts";

/** State of forms that the next document of this tab takes over. */
export interface Carried {
  /** Address of the page to whose forms `outcomes` belong. */
  url: string;
  outcomes: readonly CarriedOutcome[];
  /** Sent, and still without a response when the document was left. */
  open: readonly CarriedSubmission[];
}

export interface CarriedOutcome {
  /**
   * Name of the slot, and index of the form among those of its action: React may name the slot differently next time.
   */
  name: string;
  nth: number;
  /** The outcome line as it arrived. */
  text: string;
}

export function writeCarried(carried: Carried): void {
  try {
    sessionStorage.setItem(carriedKey, JSON.stringify(carried));
  } catch {
    // Storage is denied or full: the next document starts without it.
  }
}

/** Reads the state and deletes it. */
export function takeCarried(): Carried {
  try {
    const text = sessionStorage.getItem(carriedKey);
    sessionStorage.removeItem(carriedKey);
    return readCarried(text);
  } catch {
    return nothing;
  }
}

/** Ignores everything that was not written by this code. */
export function readCarried(text: string | null): Carried {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isCarried(value) ? value : nothing;
  } catch {
    return nothing;
  }
}

const nothing: Carried = { url: "", outcomes: [], open: [] };

const outcomeTypes = { name: "string", nth: "number", text: "string" } satisfies Types<CarriedOutcome>;
const openTypes = {
  name: "string",
  nth: "number",
  slot: "string",
  address: "string",
  entry: "number",
  key: "string",
  attempt: "number",
  pressedAt: "number",
  isEdited: "boolean",
} satisfies Types<CarriedSubmission>;

type Types<Thing> = Record<keyof Thing, "string" | "number" | "boolean">;

function isCarried(value: unknown): value is Carried {
  if (typeof value !== "object" || value === null) return false;
  const { url, outcomes, open } = value as Partial<Record<string, unknown>>;
  return typeof url === "string" && areAll(outcomes, outcomeTypes) && areAll(open, openTypes);
}

function areAll(values: unknown, types: Record<string, string>): boolean {
  return (
    Array.isArray(values) &&
    values.every((value: unknown) =>
      Object.entries(types).every(
        ([name, type]) => typeof value === "object" && value !== null && typeof Reflect.get(value, name) === type,
      ),
    )
  );
}
