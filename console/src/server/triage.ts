import { invalid } from "holdfast/server";
import { type NumberedChange, openedDesk } from "holdfast/service";
import { textIn } from "./posted.ts";
import { needs, type Scope } from "./scope.ts";

const dayMs = 86_400_000;

/** What the buttons of the console mean. */
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
    case "mute-day":
      return { kind: "mute", until: { kind: "time", at: openedDesk().now() + dayMs } };
    case "mute-events":
      return { kind: "mute", until: { kind: "events", more: 100 } };
    case "mute-visitors":
      return { kind: "mute", until: { kind: "visitors", more: 10 } };
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
    default:
      return invalid({ "": `There is nothing called "${wish}" to do.` });
  }
}

/** Changes issues, if the person may. Returns how many changed. */
export async function triage(scope: Scope, numbers: readonly number[], change: NumberedChange): Promise<number> {
  needs(scope, "member");
  if (numbers.length === 0) invalid({ "": "Choose at least one issue." });
  return openedDesk().change(scope.project.id, numbers, change, scope.person.name);
}

function required(form: FormData, name: string, otherwise: string): string {
  return textIn(form, name) || invalid({ [name]: otherwise });
}

/** `#12`, `12`, or the address of an issue. */
function issueNamed(text: string): number {
  const number = /(?:^#?|\/issues\/)(\d{1,9})(?:[?#].*)?$/.exec(text)?.[1];
  return number === undefined ? invalid({ into: "Paste the link or the number of an issue." }) : Number(number);
}
