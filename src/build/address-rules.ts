import { statSync } from "node:fs";
import { join } from "node:path";
import { type AddressRule, checkAddressRules, readAddressRules } from "#routes";
import type { ApplicationFiles } from "./application-files.ts";
import { buildErrors } from "./errors.ts";
import { isFrameworkPath } from "./guards/check-links.ts";
import { readBuildSettings } from "./read-config.ts";

/** Reads `redirects` and `rewrites` of the configuration. A start of the server refuses wrong ones too. */
export async function readRulesOf(root: string): Promise<readonly AddressRule[]> {
  const { redirects, rewrites } = await readBuildSettings(root);
  const { rules, problems } = readAddressRules(redirects, rewrites);
  if (problems.length > 0) throw buildErrors.wrongRules(problems);
  return rules;
}

/** What is wrong with the tables, beside the pages and public files of the application: one sentence for each line. */
export function problemsOfRules(
  rules: readonly AddressRule[],
  { root, table, languages }: ApplicationFiles,
  elsewhere: readonly string[],
): string[] {
  const inPublic = (path: string) =>
    statSync(join(root, "public", decodeURIComponent(path)), { throwIfNoEntry: false });
  const named = rules.flatMap(({ kind, from, segments: [first] }) =>
    first?.kind === "static" && languages?.table.list.some(({ lang }) => lang === first.text)
      ? [`The ${kind} from ${from} begins with a language, which is taken off before: write it without.`]
      : [],
  );
  const wrong = checkAddressRules(rules, table, {
    isPublicFile: (path) => inPublic(path)?.isFile() ?? false,
    isPublicFolder: (path) => inPublic(path)?.isDirectory() ?? false,
    isElsewhere: (path) => isFrameworkPath(path, elsewhere),
  });
  return [...named, ...wrong];
}
