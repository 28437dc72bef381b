import { href } from "holdfast";
import { invalid, redirect } from "holdfast/server";
import { consoleApi, type NumberedChange } from "holdfast/service";
import { knownPeople } from "./known-people.ts";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";
import { type NameOf, personCalled, shownNames } from "./shown-names.ts";

const hourMs = 3_600_000;
/** Ten years. For longer, mute without an end. */
const mostHours = 87_600;
const mostMore = 1_000_000_000;

/** Makes the change of the pressed button. */
export async function triageByForm(scope: Scope, numbers: readonly number[], form: FormData): Promise<Said> {
  return textIn(form, "do") === "merge"
    ? mergeNamed(scope, numbers, textIn(form, "into"))
    : triage(scope, numbers, changeOf(form, scope));
}

/**
 * Merges into the issue that a text means. Words may mean several: a page shows them. Without a text, several issues
 * are merged into the one of them that has most events, and Undo takes it back.
 */
async function mergeNamed(scope: Scope, numbers: readonly number[], typed: string): Promise<Said> {
  needs(scope, "member");
  if (numbers.length === 0) invalid({ "": "Choose at least one issue." });
  const { id: project } = scope.project;
  const api = consoleApi();
  const isAmongThem = typed === "" && numbers.length > 1;
  const target = isAmongThem
    ? (await api.mergeTargets({ project, numbers, typed })).targets[0]
    : await api.issueMeant(project, typed);
  if (target !== undefined) return triage(scope, numbers, { kind: "merge", intoNumber: target.number });
  const search = new URLSearchParams(numbers.map((number) => ["number", String(number)]));
  if (typed !== "") search.set("find", typed);
  return redirect(href("/[project]/issues/merge", { project }, search));
}

/** Reads the change from the pressed button. */
function changeOf(form: FormData, scope: Scope): NumberedChange {
  const wish = textIn(form, "do");
  switch (wish) {
    case "resolve":
      return { kind: "resolve", in: "now" };
    case "resolve-next":
      return { kind: "resolve", in: "next-release" };
    case "resolve-in":
      return {
        kind: "resolve",
        in: "release",
        release: required(form, "release", "Name the release that has the fix."),
      };
    case "mute":
      return { kind: "mute", until: { kind: "for-ever" } };
    case "mute-for": {
      const hours = amount(form, "hours", mostHours, "Say for how many hours.");
      return { kind: "mute", until: { kind: "time", at: consoleApi().now() + hours * hourMs } };
    }
    case "mute-events":
      return {
        kind: "mute",
        until: { kind: "events", more: amount(form, "events", mostMore, "Say how many events.") },
      };
    case "mute-visitors":
      return {
        kind: "mute",
        until: { kind: "visitors", more: amount(form, "visitors", mostMore, "Say how many visitors.") },
      };
    case "reopen":
      return { kind: "reopen" };
    case "take":
      return { kind: "assign", to: scope.person.name };
    case "assign":
      return { kind: "assign", to: textIn(form, "to", 200) || undefined };
    case "comment":
      return { kind: "comment", text: required(form, "text", "Write something.") };
    case "split":
      return { kind: "split" };
    case "undo":
      return { kind: "undo" };
    default:
      return invalid({ "": `There is nothing called "${wish}" to do.` });
  }
}

/** Changes issues, if the person may. */
async function triage(scope: Scope, numbers: readonly number[], wanted: NumberedChange): Promise<Said> {
  needs(scope, "member");
  const change = wanted.kind === "assign" && wanted.to ? { ...wanted, to: await assignee(scope, wanted.to) } : wanted;
  if (numbers.length === 0) invalid({ "": "Choose at least one issue." });
  const changed = await consoleApi().change(scope.project.id, numbers, change, scope.person.name);
  if (changed === 0)
    return {
      said:
        change.kind === "undo" ? "It is too late to undo that: something has happened since." : "Nothing has changed.",
    };
  const said = `${changed === 1 ? "1 issue" : `${changed} issues`} ${wordFor(change, await shownNames())}.`;
  return change.kind === "undo" ? { said } : { said, undo: numbers };
}

/** More would not fit beside the field. */
const namesSuggested = 5;

/**
 * The person that a typed name means. A service with accounts knows its people and refuses others. Without accounts, an
 * application names its people, so any name is taken.
 */
async function assignee(scope: Scope, typed: string): Promise<string> {
  const called = await personCalled(typed);
  if (consoleApi().access.kind !== "accounts") return called;
  const people = await knownPeople(scope);
  if (people.some(({ name }) => name === called)) return called;
  const names = people.slice(0, namesSuggested).map(({ name, shownName }) => shownName ?? name);
  const more = people.length > names.length ? ` and ${people.length - names.length} more` : "";
  return invalid({ to: `Nobody here is called "${typed}". Known: ${names.join(", ")}${more}.` });
}

function wordFor(change: NumberedChange, nameOf: NameOf): string {
  switch (change.kind) {
    case "resolve":
      return change.in === "now"
        ? "resolved"
        : `resolved in ${change.in === "release" ? change.release : "the next release"}`;
    case "mute":
      return `muted ${muteWords(change.until)}`;
    case "reopen":
      return "reopened";
    case "assign":
      return change.to === undefined ? "assigned to nobody" : `assigned to ${nameOf(change.to)}`;
    case "ticket":
      return change.address === undefined ? "without its ticket" : "with its ticket";
    case "comment":
      return "commented";
    case "merge":
      return `merged into #${change.intoNumber}`;
    case "split":
      return "split";
    case "undo":
      return "restored";
  }
}

function muteWords(until: Extract<NumberedChange, { kind: "mute" }>["until"]): string {
  if (until.kind === "for-ever") return "until somebody opens it again";
  if (until.kind !== "time") return `until ${until.more} more ${until.kind}`;
  const hours = Math.round((until.at - consoleApi().now()) / hourMs);
  return hours === 1 ? "for an hour" : `for ${hours} hours`;
}

function amount(form: FormData, name: string, most: number, otherwise: string): number {
  const number = Number(textIn(form, name));
  return Number.isSafeInteger(number) && number > 0 && number <= most ? number : invalid({ [name]: otherwise });
}

function required(form: FormData, name: string, otherwise: string): string {
  return textIn(form, name) || invalid({ [name]: otherwise });
}
