import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ESTree, parseSync } from "vite";
import type { ApplicationFiles } from "./application-files.ts";

/** The limits that a route or one of its actions declares. */
export interface DeclaredLimits {
  route: string;
  of: "page" | "api" | "action";
  /** The file that declares them. */
  file: string;
  /** Name of the action. */
  action?: string;
  /** Whether its uploads lie on the server's disk, which they share with others. */
  onDisk?: true;
  /** By name: the number, or the text of an expression whose value only running code knows. */
  limits: Readonly<Record<string, number | string>>;
}

/** Reads the limits of all routes. Parses the files instead of running them: server files may open databases. */
export async function readDeclaredLimits(
  { table, pagesFolder }: Pick<ApplicationFiles, "table" | "pagesFolder">,
  names: readonly string[],
): Promise<DeclaredLimits[]> {
  const declared: DeclaredLimits[] = [];
  for (const { id, kind, server } of table.routes) {
    if (server === undefined) continue;
    const code = await readFile(join(pagesFolder, server), "utf8");
    if (names.some((name) => code.includes(name)))
      declared.push(...findLimits({ id, kind, file: server, code }, names));
  }
  return declared;
}

interface ServerFile {
  id: string;
  kind: "page" | "api";
  file: string;
  code: string;
}

export function findLimits({ id, kind, file, code }: ServerFile, names: readonly string[]): DeclaredLimits[] {
  const source = new Source(file, code);
  const own = source.limitsIn(source.exported, names);
  const actions =
    kind === "page" ? source.objectOf(source.exported.get("actions")) : new Map<string, ESTree.Expression>();
  return [
    ...(Object.keys(own).length > 0 ? [{ route: id, of: kind, file, limits: own }] : []),
    ...[...actions].flatMap(([action, made]): DeclaredLimits[] => {
      const options = source.optionsOf(made);
      const limits = source.limitsIn(options, names);
      if (Object.keys(limits).length === 0) return [];
      const onDisk = source.isTrue(options.get("uploads")) && { onDisk: true as const };
      return [{ route: id, of: "action", file, action, limits, ...onDisk }];
    }),
  ];
}

type Named = ReadonlyMap<string, ESTree.Expression>;

/** A parsed server file, with the constants of its top level. */
class Source {
  readonly exported: Named;
  readonly #constants: Named;
  readonly #code: string;

  constructor(file: string, code: string) {
    const constants = new Map<string, ESTree.Expression>();
    const exported = new Map<string, ESTree.Expression>();
    for (const statement of parseSync(file, code).program.body) {
      const isExport = statement.type === "ExportNamedDeclaration";
      const declaration = isExport ? statement.declaration : statement;
      if (declaration?.type !== "VariableDeclaration") continue;
      for (const { id, init } of declaration.declarations) {
        if (id.type !== "Identifier" || !init) continue;
        constants.set(id.name, init);
        if (isExport) exported.set(id.name, init);
      }
    }
    this.#constants = constants;
    this.exported = exported;
    this.#code = code;
  }

  limitsIn(values: Named, names: readonly string[]): Record<string, number | string> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = values.get(name);
        return value ? [[name, this.#numberOf(value) ?? this.#code.slice(value.start, value.end)]] : [];
      }),
    );
  }

  /** The properties of an object by name. */
  objectOf(expression: ESTree.Expression | undefined): Named {
    const object = this.#resolved(expression);
    const values = new Map<string, ESTree.Expression>();
    if (object?.type !== "ObjectExpression") return values;
    for (const property of object.properties)
      if (property.type === "Property" && property.key.type === "Identifier" && !property.computed)
        values.set(property.key.name, property.value);
    return values;
  }

  /** The options of `action(…)`. */
  optionsOf(expression: ESTree.Expression): Named {
    const call = this.#resolved(expression);
    const [options] = call?.type === "CallExpression" ? call.arguments : [];
    return this.objectOf(options?.type === "SpreadElement" ? undefined : options);
  }

  isTrue(expression: ESTree.Expression | undefined): boolean {
    const value = this.#resolved(expression);
    return value?.type === "Literal" && value.value === true;
  }

  #resolved(expression: ESTree.Expression | undefined): ESTree.Expression | undefined {
    switch (expression?.type) {
      case "TSSatisfiesExpression":
      case "TSAsExpression":
      case "ParenthesizedExpression":
        return this.#resolved(expression.expression);
      case "Identifier":
        return this.#constants.get(expression.name);
      default:
        return expression;
    }
  }

  #numberOf(expression: ESTree.Expression): number | undefined {
    const value = this.#resolved(expression);
    if (value?.type === "Literal") return typeof value.value === "number" ? value.value : undefined;
    if (value?.type !== "BinaryExpression" || value.left.type === "PrivateIdentifier") return undefined;
    const calculate = operators[value.operator];
    const left = this.#numberOf(value.left);
    const right = this.#numberOf(value.right);
    return calculate && left !== undefined && right !== undefined ? calculate(left, right) : undefined;
  }
}

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  "*": (left, right) => left * right,
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "/": (left, right) => left / right,
  "**": (left, right) => left ** right,
};
