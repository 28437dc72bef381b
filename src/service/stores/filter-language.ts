import { readLevel } from "#protocol";

/**
 * Filter above the issue list: search words, and terms such as `is:open release:1.4* -route:/cart`. Parsing never
 * fails: anything that is no term is text, and every result can be written again.
 */
export interface IssueFilter {
  states: readonly StatusName[];
  terms: readonly FilterTerm[];
  words: readonly { text: string; not: boolean }[];
}

export type StatusName = "open" | "regressed" | "resolved" | "muted";

export interface FilterTerm {
  field: FilterField;
  /** Name of the tag, for `tag` only. */
  key?: string;
  /** `*` matches any characters. */
  value: string;
  not: boolean;
}

export type FilterField =
  | "release"
  | "first-release"
  | "resolved-in"
  | "regressed-in"
  | "route"
  | "environment"
  | "user"
  | "level"
  | "type"
  | "assigned"
  | "platform"
  | "tag";

const statusNames: readonly StatusName[] = ["open", "regressed", "resolved", "muted"];

/** The states that a filter selects; without any, all of them. */
export function selectedStates(filter: IssueFilter): readonly StatusName[] {
  return filter.states.length > 0 ? filter.states : statusNames;
}

/** Fields with the aliases that people know from elsewhere. */
const fields: Readonly<Record<string, FilterField>> = {
  release: "release",
  "first-release": "first-release",
  firstrelease: "first-release",
  "resolved-in": "resolved-in",
  "regressed-in": "regressed-in",
  route: "route",
  transaction: "route",
  environment: "environment",
  env: "environment",
  user: "user",
  level: "level",
  type: "type",
  "error.type": "type",
  assigned: "assigned",
  assignee: "assigned",
  platform: "platform",
};

const statusAliases: Readonly<Record<string, readonly StatusName[]>> = {
  unresolved: ["open", "regressed"],
  ignored: ["muted"],
  archived: ["muted"],
};

const knownStates: readonly string[] = [...statusNames, "unresolved", "ignored", "archived"];
const knownFields = ["is", ...new Set(Object.values(fields))].join(", ");

export const everyIssue: IssueFilter = { states: [], terms: [], words: [] };

/** Each word and term is another check of every issue, in the thread that serves pages. People type three. */
const mostPieces = 20;

/**
 * Describes the meaningless parts of a filter. Only the store knows which tags exist: otherwise a misspelt field would
 * be a tag that no event has.
 */
export async function filterProblems(
  text: string,
  isTag: (key: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const problems = new Set<string>();
  let pieces = 0;
  for (const { key, value } of piecesOf(text)) {
    const isState = key === "is" && statesNamed(value) !== undefined;
    if (!isState) pieces += 1;
    if (key === "is" && !isState) problems.add(`There is no state “${value}”. States are ${knownStates.join(", ")}.`);
    else if (key !== undefined && key !== "is" && !Object.hasOwn(fields, key.toLowerCase()) && !(await isTag(key)))
      problems.add(`“${key}:” is neither a field nor a tag of this project's events. Fields are ${knownFields}.`);
  }
  if (pieces > mostPieces) problems.add(`Only the first ${mostPieces} words and terms count.`);
  return [...problems].slice(0, mostProblems);
}

/** More would push the list off the screen. */
const mostProblems = 3;

export function readFilter(text: string): IssueFilter {
  const wanted = new Set<StatusName>();
  const unwanted = new Set<StatusName>();
  const terms: FilterTerm[] = [];
  const words: { text: string; not: boolean }[] = [];
  for (const { not, key, value } of piecesOf(text)) {
    if (terms.length + words.length >= mostPieces) break;
    if (key === undefined) {
      if (value !== "") words.push({ text: value, not });
      continue;
    }
    const named = key === "is" ? statesNamed(value) : undefined;
    if (named) for (const state of named) (not ? unwanted : wanted).add(state);
    else if (key === "is") words.push({ text: `is:${value}`, not });
    else terms.push(termOf(key, value, not));
  }
  return { states: statesOf(wanted, unwanted), terms, words };
}

/** None means all. */
function statesOf(wanted: ReadonlySet<StatusName>, unwanted: ReadonlySet<StatusName>): readonly StatusName[] {
  if (unwanted.size === 0) return [...wanted];
  return [...(wanted.size > 0 ? wanted : statusNames)].filter((state) => !unwanted.has(state));
}

export function writeFilter(filter: IssueFilter): string {
  const pieces = filter.states.map((state) => `is:${state}`);
  for (const { field, key, value, not } of filter.terms)
    pieces.push(`${not ? "-" : ""}${key ?? field}:${quoted(value)}`);
  for (const { text, not } of filter.words) pieces.push(`${not ? "-" : ""}${quoted(text)}`);
  return pieces.join(" ");
}

/** The filter as this person means it: `assigned:me` is the person. */
export function filterFor(text: string, person: string): string {
  const filter = readFilter(text);
  const isMe = ({ field, value }: FilterTerm): boolean => field === "assigned" && value.toLowerCase() === "me";
  if (!filter.terms.some(isMe)) return text;
  return writeFilter({
    ...filter,
    terms: filter.terms.map((term) => (isMe(term) ? { ...term, value: person } : term)),
  });
}

function termOf(key: string, value: string, not: boolean): FilterTerm {
  const field = Object.hasOwn(fields, key.toLowerCase()) ? fields[key.toLowerCase()] : undefined;
  if (field === undefined) return { field: "tag", key, value, not };
  return { field, value: field === "level" ? (readLevel(value) ?? value) : value, not };
}

function statesNamed(value: string): readonly StatusName[] | undefined {
  const name = value.toLowerCase();
  if (Object.hasOwn(statusAliases, name)) return statusAliases[name];
  const status = statusNames.find((known) => known === name);
  return status === undefined ? undefined : [status];
}

/** `cart.ts:42`, as copied from a stack. Only the file is searched for. */
const fileAndLine =
  /^[^\s"]+\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|scala|php|cs|fs|exs?|swift|dart|cc?|cpp|hh?|mm?)(?=(?::\d+){1,2}$)/;

// -key:"a value with spaces", key:value, "a phrase", word
const piece = /(-?)(?:([A-Za-z][\w.-]*):)?(?:"((?:[^"\\]|\\.)*)"?|(\S*))/g;

function* piecesOf(text: string): Generator<{ not: boolean; key: string | undefined; value: string }> {
  for (const match of text.matchAll(piece)) {
    const [whole, minus, key, phrase, word] = match;
    if (whole === "") continue;
    const value = phrase === undefined ? (word ?? "") : phrase.replace(/\\(.)/g, "$1");
    const file =
      phrase === undefined ? fileAndLine.exec(key === undefined ? value : `${key}:${value}`)?.[0] : undefined;
    if (file !== undefined) yield { not: minus === "-", key: undefined, value: file };
    // A URL or a name such as Shop::Cart is not a term, although it has a colon.
    else if (key !== undefined && /^(?:\/\/|:)/.test(value))
      yield { not: minus === "-", key: undefined, value: `${key}:${value}` };
    else if (key !== undefined && value === "") yield { not: minus === "-", key: undefined, value: `${key}:` };
    else yield { not: minus === "-", key, value };
  }
}

function quoted(value: string): string {
  return /^[^\s"\\:-][^\s"\\:]*$/.test(value) ? value : `"${value.replace(/(["\\])/g, "\\$1")}"`;
}
