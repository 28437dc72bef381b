import { invalid } from "holdfast/server";
import { consoleApi, type ErasureSubject, erasedWords } from "holdfast/service";
import { visitorNamed } from "./live-visitors.ts";
import { textIn } from "./posted.ts";
import { needs, type Scope, wholeNumber } from "./scope.ts";

/** What an erasure would remove, or that it has begun. */
export interface EraseSaid {
  said: string;
  /** The same subject, for the button that removes it. */
  planned?: { kind: string; who: string };
  /** The visitor as addresses name it, for the link to the export. */
  visitor?: string;
}

const longestIdentity = 400;

/** Says first what would be removed. Removes it when it is sent again with `do=erase`. */
export async function eraseByForm(scope: Scope, form: FormData): Promise<EraseSaid> {
  needs(scope, "owner");
  const { erase } = consoleApi();
  const { project, person } = scope;
  const isMeant = textIn(form, "do") === "erase";
  // What the person has read about, whatever is typed since.
  const [kind, who] = isMeant
    ? [textIn(form, "plannedKind"), textIn(form, "plannedWho", longestIdentity)]
    : [textIn(form, "kind"), textIn(form, "who", longestIdentity)];
  const subject = subjectOf(kind, who);
  if (isMeant) {
    const begun = await erase.begin(project.id, subject, person.name);
    if (begun === undefined) invalid({ who: "Nothing of it is stored." });
    return { said: "It is being removed. The list below says when it is done." };
  }
  const counts = (await erase.plan(project.id, subject)) ?? invalid({ who: "Nothing of it is stored." });
  if (subject.kind !== "project" && erasedWords(counts) === "nothing") invalid({ who: "Nothing of it is stored." });
  const visitor = subject.kind === "visitor" ? { visitor: erase.hashOf(subject.identity).toString(36) } : undefined;
  return {
    said:
      subject.kind === "project"
        ? `This removes the project with its keys, and ${erasedWords(counts)} in it.`
        : `This removes ${erasedWords(counts)}.`,
    planned: { kind, who },
    ...visitor,
  };
}

function subjectOf(kind: string, who: string): ErasureSubject {
  switch (kind) {
    case "visitor":
      return who === ""
        ? invalid({ who: "Write an id, an e-mail address or an IP address." })
        : { kind, identity: who };
    case "this-visitor":
      return { kind: "visitor-hash", visitor: visitorNamed(who) ?? invalid({ who: "There is no such visitor." }) };
    case "event":
      return who === "" ? invalid({ who: "Write the id or the digest of an event." }) : { kind, id: who };
    case "issue":
      return { kind, number: wholeNumber(who.replace("#", "")) ?? invalid({ who: "Write the number of an issue." }) };
    case "project":
      return { kind };
    default:
      return invalid({ kind: "Choose what is to be forgotten." });
  }
}
