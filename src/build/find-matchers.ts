import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { matchersIn, type RouteTable } from "#routes";
import { buildErrors } from "./errors.ts";

/** Finds `src/matchers.ts` if a route names a matcher. Every name must be one of its exports. */
export async function findMatchers(root: string, table: RouteTable): Promise<string | undefined> {
  const named = matchersIn(table);
  if (named.size === 0) return undefined;
  const file = ["ts", "js"].map((ending) => `${root}/src/matchers.${ending}`).find((one) => existsSync(one));
  const known = file === undefined ? undefined : await exportsOf(file);
  for (const [name, page] of named)
    if (!known?.includes(name) && !known?.includes("*")) throw buildErrors.unknownMatcher(name, page, known);
  return file;
}

/** The names that a module exports; `*` if it passes on those of another module, which only the bundler knows. */
async function exportsOf(file: string): Promise<string[]> {
  const { parseSync } = await import("vite");
  const { module } = parseSync(file, await readFile(file, "utf8"));
  return module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).map(({ exportName }) => exportName.name ?? "*"),
  );
}
