import { invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";
import { shownNames } from "./shown-names.ts";

interface LineProblem {
  line: number;
  why: string;
}

/** The service has the limit of a text and says it. This is beyond each of them. */
const longestText = 1_000_000;

/** Saves the rules of the form, tries them on the newest issues, or adds those of a CODEOWNERS file to them. */
export async function workOnRules(scope: Scope, form: FormData) {
  const rules = textIn(form, "rules", longestText);
  switch (textIn(form, "do")) {
    case "try":
      return tryRules(scope, rules);
    case "codeowners":
      return addCodeowners(scope, rules, textIn(form, "codeowners", longestText));
    default:
      return saveRules(scope, rules);
  }
}

async function saveRules(scope: Scope, rules: string): Promise<Said> {
  needs(scope, "owner");
  const outcome = await consoleApi().ownership.change(scope.project.id, rules, scope.person.name);
  if (outcome.kind === "refused") return invalid({ rules: wordsFor(outcome.problems) });
  const said = rules === "" ? "There are no rules now." : "Saved. They hold for issues that are new or come back.";
  return { said };
}

async function tryRules(scope: Scope, rules: string) {
  needs(scope, "member");
  const [outcome, nameOf] = await Promise.all([consoleApi().ownership.try(scope.project.id, rules), shownNames()]);
  if (outcome.kind === "refused") return invalid({ rules: wordsFor(outcome.problems) });
  const matching = outcome.issues.flatMap(({ number, title, owner }) =>
    owner === undefined ? [] : [{ number, title, rule: owner.rule, to: owner.to && nameOf(owner.to) }],
  );
  return { rules, tried: { issues: outcome.issues.length, matching } };
}

function addCodeowners(scope: Scope, rules: string, file: string) {
  needs(scope, "owner");
  if (file === "") invalid({ codeowners: "Paste the content of the file." });
  const added = consoleApi().ownership.fromCodeowners(file);
  return { rules: [rules, added].filter((text) => text !== "").join("\n"), isAdded: true };
}

function wordsFor(problems: readonly LineProblem[]): string {
  return problems.map(({ line, why }) => `Line ${line}: ${why}`).join("\n");
}
