import { invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

/** Makes a key, or changes the one that the form names. */
export async function saveKey(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const { keys } = consoleApi();
  const publicKey = textIn(form, "key");
  const wish = { name: textIn(form, "name", 81), perMinute: perMinuteIn(form), origins: wordsIn(form, "origins") };
  const { project, person } = scope;
  const outcome =
    publicKey === ""
      ? await keys.add(project.id, wish, person.name)
      : await keys.change(project.id, publicKey, wish, person.name);
  if (outcome.kind === "unknown") return invalid({ "": "There is no such key any more." });
  if (outcome.kind === "refused") return invalid({ ...outcome.problems });
  return { said: publicKey === "" ? `The key ${wish.name} is made. Its DSN is above.` : "Kept. It holds now." };
}

const steps = {
  disable: "is refused from now on. It can be enabled again.",
  enable: "is accepted again.",
  remove: "is gone. Clients with it are refused.",
  "make-main": "is the main key now.",
} as const;

export async function stepKey(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const step = textIn(form, "do");
  if (!isStep(step)) return invalid({ "": "There is nothing of that name to do." });
  const publicKey = textIn(form, "key");
  const { keys } = consoleApi();
  const name = keys.of(scope.project.id).find((key) => key.publicKey === publicKey)?.name ?? "";
  const outcome = await keys.step(scope.project.id, publicKey, step, scope.person.name);
  if (outcome.kind === "unknown") return invalid({ "": "There is no such key any more." });
  if (outcome.kind === "refused") return invalid({ ...outcome.problems });
  return { said: `${name} ${steps[step]}` };
}

export async function changeLimit(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const perMinute = perMinuteIn(form);
  const problem = await consoleApi().keys.changePerMinute(scope.project.id, perMinute, scope.person.name);
  if (problem !== undefined) invalid({ perMinute: problem });
  return { said: perMinute === undefined ? "There is no limit now." : "Kept. It holds within a second." };
}

export async function changeSpikeRules(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const rules = {
    isOn: form.get("isOn") === "on",
    times: Number(textIn(form, "times")),
    least: Number(textIn(form, "least")),
  };
  const problems = await consoleApi().spikes.change(scope.project.id, rules, scope.person.name);
  if (Object.keys(problems).length > 0) invalid({ ...problems });
  return { said: rules.isOn ? "Kept. It holds within a second." : "Kept. Every error is kept." };
}

function isStep(text: string): text is keyof typeof steps {
  return Object.hasOwn(steps, text);
}

/** An empty field is no limit. */
function perMinuteIn(form: FormData): number | undefined {
  const text = textIn(form, "perMinute");
  return text === "" ? undefined : Number(text);
}

/** Words that spaces, commas or line ends separate. */
function wordsIn(form: FormData, name: string): string[] {
  return textIn(form, name)
    .split(/[\s,]+/)
    .filter((word) => word !== "");
}
