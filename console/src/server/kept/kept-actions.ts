import { invalid, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "../posted.ts";
import { needs, type Scope, wholeNumber } from "../scope.ts";
import { isGood, type KeptResult, wordsOf } from "./kept-words.ts";
import type { KeptApi } from "./show-kept.ts";

/** Longer than the service waits for a run, whatever the application has set for its own actions. */
export const keptSeconds = 60;

export interface KeptSaid {
  said: string;
  isProblem: boolean;
  /** The outcome of each, where there were several. */
  table?: readonly { outcome: string; codes: readonly string[] }[];
}

/** One press runs or checks at most so many: their outcomes have to fit into the answer without JavaScript. */
export const mostAtOnce = 50;

/** Without JavaScript, a result of more than 2,048 bytes is lost. */
const tableBytes = 1_400;

/** Does what the pressed button of one kept submission says. */
export async function keptByForm(scope: Scope, form: FormData): Promise<KeptSaid> {
  const kept = keptOf(scope);
  const code = textIn(form, "code", 40);
  const wish = textIn(form, "do");
  switch (wish) {
    case "check":
      return saidOf(await kept.check([code]));
    case "run":
    case "run-unsure":
      return saidOf(await kept.run([code], { by: scope.person.name, evenIfUnsure: wish === "run-unsure" }));
    case "forget": {
      const isForgotten = await kept.forget(code, scope.person.name);
      return isForgotten
        ? { said: "It is forgotten: what was sent is deleted.", isProblem: false }
        : { said: "It was not forgotten: it is running, or over.", isProblem: true };
    }
    default:
      return invalid({ "": `There is nothing called "${wish}" to do.` });
  }
}

/** Checks or runs all that the person has seen, of an issue or of the project. */
export async function allKeptByForm(scope: Scope, form: FormData): Promise<KeptSaid> {
  const kept = keptOf(scope);
  const wish = textIn(form, "do");
  if (wish !== "check-all" && wish !== "run-all") invalid({ "": `There is nothing called "${wish}" to do.` });
  const seenAt = Number(textIn(form, "seen"));
  const { runnable } = await kept.list({ issue: wholeNumber(textIn(form, "issue")), limit: 0 });
  const ids = runnable.filter(({ keptAt }) => keptAt <= seenAt).map(({ id }) => id);
  // The oldest first: its visitor has waited longest.
  const now = ids.reverse().slice(0, mostAtOnce);
  const results =
    wish === "check-all" ? await kept.check(now) : await kept.run(now, { by: scope.person.name, evenIfUnsure: false });
  return saidOfAll(results, wish === "run-all", ids.length - now.length);
}

function keptOf(scope: Scope): KeptApi {
  needs(scope, "member");
  return consoleApi().kept(scope.project.id) ?? notFound();
}

function saidOf([result]: readonly KeptResult[]): KeptSaid {
  return result ? { said: wordsOf(result), isProblem: !isGood(result) } : { said: "", isProblem: false };
}

function saidOfAll(results: readonly KeptResult[], isRun: boolean, more: number): KeptSaid {
  if (results.length === 0) return { said: "Nothing waits to be run.", isProblem: false };
  const good = results.filter(isGood).length;
  const running = results.filter(({ kind }) => kind === "running").length;
  const said = [
    isRun ? `${good - running} of ${results.length} done.` : `${good} of ${results.length} would run.`,
    running > 0 ? `${running} still running.` : "",
    more > 0 ? `${more} more wait: press again.` : "",
  ];
  return {
    said: said.filter(Boolean).join(" "),
    isProblem: good < results.length,
    table: tableOf(results),
  };
}

/** Equal outcomes are one row. What would not fit is one row without its reasons. */
function tableOf(results: readonly KeptResult[]): NonNullable<KeptSaid["table"]> {
  const byOutcome = Map.groupBy(results, wordsOf);
  const rows = [...byOutcome].map(([outcome, each]) => ({ outcome, codes: each.map(({ digest }) => digest) }));
  const fitting = rows.filter((_, index) => Buffer.byteLength(JSON.stringify(rows.slice(0, index + 1))) <= tableBytes);
  const others = rows.slice(fitting.length).flatMap(({ codes }) => codes);
  return others.length === 0 ? rows : [...fitting, { outcome: "Another reason: dry-run each of them.", codes: others }];
}
