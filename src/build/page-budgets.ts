import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ESTree, parseSync } from "vite";
import { budgetNames, type PageBudget } from "#routes";
import type { ApplicationFiles } from "./application-files.ts";
import { buildErrors } from "./errors.ts";

/** Budgets by route id. Contains only pages that declare one. */
export type DeclaredBudgets = ReadonlyMap<string, PageBudget>;

/** Reads the budgets that pages declare. Parses the files instead of running them: server files may open databases. */
export async function readBudgets({ table, pagesFolder }: ApplicationFiles): Promise<DeclaredBudgets> {
  const budgets = new Map<string, PageBudget>();
  for (const { id, kind, page, server } of table.routes) {
    if (kind !== "page") continue;
    if (page !== undefined && (await declarationIn(pagesFolder, page)))
      throw buildErrors.wrongBudget(page, "stands in the half that browsers load");
    const declared = server === undefined ? undefined : await declarationIn(pagesFolder, server);
    if (server !== undefined && declared) budgets.set(id, budgetOf(server, declared));
  }
  return budgets;
}

async function declarationIn(folder: string, file: string): Promise<ESTree.Expression | undefined> {
  const code = await readFile(join(folder, file), "utf8");
  return code.includes("budget") ? findBudget(file, code) : undefined;
}

/** Returns the value of `export const budget = …`. */
export function findBudget(file: string, code: string): ESTree.Expression | undefined {
  for (const statement of parseSync(file, code).program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declaration.declarations)
      if (id.type === "Identifier" && id.name === "budget" && init) return init;
  }
  return undefined;
}

export function budgetOf(file: string, declared: ESTree.Expression): PageBudget {
  if (declared.type === "TSSatisfiesExpression" || declared.type === "TSAsExpression")
    return budgetOf(file, declared.expression);
  if (declared.type !== "ObjectExpression") throw buildErrors.wrongBudget(file, "is not written as an object");
  const budget: PageBudget = {};
  for (const property of declared.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier" || property.computed)
      throw buildErrors.wrongBudget(file, "has something other than names with numbers in it");
    const { name } = property.key;
    const known = budgetNames.find((one) => one === name);
    if (!known) throw buildErrors.wrongBudget(file, `has ${name}, which is not measured`);
    const { value } = property;
    if (value.type !== "Literal" || typeof value.value !== "number" || !(value.value > 0))
      throw buildErrors.wrongBudget(file, `has ${name}, but not as a plain number above 0`);
    budget[known] = value.value;
  }
  return budget;
}
