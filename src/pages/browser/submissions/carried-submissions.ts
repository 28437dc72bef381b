const storageKey = "holdfast-submissions";

/** What the next document of this tab needs to know of the forms of this one. */
export interface Carried {
  /** Address of the page, for whose forms `outcomes` are. */
  url: string;
  outcomes: readonly CarriedOutcome[];
  /** Sent, and not answered when the document was left. */
  open: readonly CarriedSubmission[];
}

export interface CarriedOutcome {
  /** Name of the slot, and which of the forms of its action it is: React may name it differently then. */
  name: string;
  nth: number;
  /** The outcome line as it came. */
  text: string;
}

export interface CarriedSubmission {
  name: string;
  nth: number;
  slot: string;
  /** Of the action. */
  address: string;
  /** The history entry in which it was pressed. */
  entry: number;
  key: string;
  attempt: number;
  /** Wall-clock time. */
  pressedAt: number;
  /** Something was typed into its form after it was pressed. */
  isEdited: boolean;
}

export function writeCarried(carried: Carried): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(carried));
  } catch {
    // Storage is denied or full: the next document begins without it.
  }
}

/** Once: it is gone then. */
export function takeCarried(): Carried {
  try {
    const text = sessionStorage.getItem(storageKey);
    sessionStorage.removeItem(storageKey);
    return readCarried(text);
  } catch {
    return nothing;
  }
}

/** Anything else in this place was not written by us and counts as nothing. */
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
