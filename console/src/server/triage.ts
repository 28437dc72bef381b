import { invalid } from "holdfast/server";
import { consoleApi, type NumberedChange } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

const hourMs = 3_600_000;
/** Ten years. For longer, mute without an end. */
const mostHours = 87_600;
const mostMore = 1_000_000_000;

/** Reads the change from the pressed button. */
export function changeOf(form: FormData, scope: Scope): NumberedChange {
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
    case "merge":
      return { kind: "merge", intoNumber: issueNamed(textIn(form, "into")) };
    case "split":
      return { kind: "split" };
    case "undo":
      return { kind: "undo" };
    default:
      return invalid({ "": `There is nothing called "${wish}" to do.` });
  }
}

/** Changes issues, if the person may. */
export async function triage(scope: Scope, numbers: readonly number[], change: NumberedChange): Promise<Said> {
  needs(scope, "member");
  if (numbers.length === 0) invalid({ "": "Choose at least one issue." });
  const changed = await consoleApi().change(scope.project.id, numbers, change, scope.person.name);
  if (changed === 0)
    return {
      said:
        change.kind === "undo" ? "It is too late to undo that: something has happened since." : "Nothing has changed.",
    };
  const said = `${changed === 1 ? "1 issue" : `${changed} issues`} ${wordFor(change)}.`;
  return change.kind === "undo" ? { said } : { said, undo: numbers };
}

function wordFor(change: NumberedChange): string {
  switch (change.kind) {
    case "resolve":
      return change.in === "now"
        ? "resolved"
        : `resolved in ${change.in === "release" ? change.release : "the next release"}`;
    case "mute":
      return "muted";
    case "reopen":
      return "reopened";
    case "assign":
      return change.to === undefined ? "assigned to nobody" : `assigned to ${change.to}`;
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

function amount(form: FormData, name: string, most: number, otherwise: string): number {
  const number = Number(textIn(form, name));
  return Number.isSafeInteger(number) && number > 0 && number <= most ? number : invalid({ [name]: otherwise });
}

function required(form: FormData, name: string, otherwise: string): string {
  return textIn(form, name) || invalid({ [name]: otherwise });
}

/** `#12`, `12`, or the address of an issue. */
function issueNamed(text: string): number {
  const number = /(?:^#?|\/issues\/)(\d{1,9})(?:[?#].*)?$/.exec(text)?.[1];
  return number === undefined ? invalid({ into: "Paste the link or the number of an issue." }) : Number(number);
}
