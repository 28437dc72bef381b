import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ESTree, parseSync } from "vite";
import { ownLimitNames } from "#bounds";
import type { ApplicationFiles } from "./application-files.ts";

/** The limits that a route or an action declares. */
export interface DeclaredLimits {
  /** The route, or the file of actions that belong to no route. */
  place: string;
  of: "page" | "api" | "action";
  /** The file that declares them. */
  file: string;
  /** Name of the action. */
  action?: string;
  /** Where its files go: to the server's disk, which they share with others, or it takes none. */
  uploads?: "disk" | "none";
  /** By name: the number, or the text of an expression whose value only running code knows. */
  limits: Readonly<Record<string, number | string>>;
}

/** Reads the limits of all server files. Parses them instead of running them: they may open databases. */
export async function readDeclaredLimits(
  application: Pick<ApplicationFiles, "root" | "table" | "pagesFolder" | "actionFiles">,
): Promise<DeclaredLimits[]> {
  const declared: DeclaredLimits[] = [];
  for (const { path, ...server } of serverFiles(application)) {
    const code = await readFile(path, "utf8");
    if (ownLimitNames.some((name) => code.includes(name))) declared.push(...findLimits({ ...server, code }));
  }
  return declared;
}

function serverFiles({
  root,
  table,
  pagesFolder,
  actionFiles,
}: Parameters<typeof readDeclaredLimits>[0]): (Omit<ServerFile, "code"> & { path: string })[] {
  const ofRoutes = table.routes.flatMap(({ id, kind, server: file }) =>
    file === undefined ? [] : [{ place: id, kind, file, path: join(pagesFolder, file) }],
  );
  // Without a layout there is no form that has the actions.
  const ofLayouts = table.folders.flatMap(({ layout, server: file }) =>
    layout === undefined || file === undefined
      ? []
      : [{ place: file, kind: "actions" as const, file, path: join(pagesFolder, file) }],
  );
  const ofComponents = actionFiles.map((name) => {
    const file = `src/${name}`;
    return { place: file, kind: "actions" as const, file, path: join(root, file) };
  });
  return [...ofRoutes, ...ofLayouts, ...ofComponents];
}

interface ServerFile {
  place: string;
  /** `actions`: of a layout or a component, which have no limits of their own. */
  kind: "page" | "api" | "actions";
  file: string;
  code: string;
}

/** What a file exports for itself. The other limits are options of `action(…)`. */
const exportedLimits: Readonly<Record<ServerFile["kind"], readonly string[]>> = {
  page: ["timeout"],
  api: ["timeout", "bodyBytes"],
  actions: [],
};

export function findLimits({ place, kind, file, code }: ServerFile): DeclaredLimits[] {
  const source = new Source(file, code);
  const own = source.limitsIn(
    source.exported,
    ownLimitNames.filter((name) => exportedLimits[kind].includes(name)),
  );
  const actions =
    kind === "api" ? new Map<string, ESTree.Expression>() : source.objectOf(source.exported.get("actions")).values;
  return [
    ...(kind !== "actions" && Object.keys(own).length > 0 ? [{ place, of: kind, file, limits: own }] : []),
    ...[...actions].flatMap(([action, made]): DeclaredLimits[] => {
      const options = source.optionsOf(made);
      const limits = source.limitsIn(options.values, ownLimitNames);
      if (Object.keys(limits).length === 0) return [];
      const uploads = source.uploadsOf(options);
      return [{ place, of: "action", file, action, limits, ...(uploads && { uploads }) }];
    }),
  ];
}

type Named = ReadonlyMap<string, ESTree.Expression>;

/** The properties of an object by name. `isWhole`: it has no others, such as spread ones. */
interface ObjectRead {
  values: Named;
  isWhole: boolean;
}

function nameOf(key: ESTree.PropertyKey): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
}

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

  objectOf(expression: ESTree.Expression | undefined): ObjectRead {
    const object = this.#resolved(expression);
    const values = new Map<string, ESTree.Expression>();
    if (object?.type !== "ObjectExpression") return { values, isWhole: false };
    const names = object.properties.map((property) => {
      const name = property.type === "Property" && !property.computed ? nameOf(property.key) : undefined;
      if (name !== undefined && property.type === "Property") values.set(name, property.value);
      return name;
    });
    return { values, isWhole: !names.includes(undefined) };
  }

  /** The options of `action(…)`. */
  optionsOf(expression: ESTree.Expression): ObjectRead {
    const call = this.#resolved(expression);
    const [options] = call?.type === "CallExpression" ? call.arguments : [];
    return this.objectOf(options?.type === "SpreadElement" ? undefined : options);
  }

  /** Undefined: to a store of the application, or only running code knows it. */
  uploadsOf({ values, isWhole }: ObjectRead): DeclaredLimits["uploads"] {
    const written = values.get("uploads");
    if (written === undefined) return isWhole ? "none" : undefined;
    const value = this.#resolved(written);
    if (value?.type !== "Literal") return undefined;
    return value.value === true ? "disk" : "none";
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
