import { type ESTree, type Plugin, parseSync, Visitor } from "vite";
import { buildErrors } from "../errors.ts";
import { isOwnFile } from "../own-package.ts";
import { type ImportChains, nameOf, withoutQuery } from "./import-chain.ts";

/** Variables whose names begin so are meant for everyone; Vite puts their values into the browser's code. */
export const publicPrefix = "PUBLIC_";

/** What `import.meta.env` has of its own, and the one variable that packages are allowed to ask for. */
const harmless = new Set(["MODE", "BASE_URL", "PROD", "DEV", "SSR", "NODE_ENV"]);

/** The third guard: the environment of the server has secrets in it, so the browser's code does not ask for it. */
export function privateEnvironmentGuard(root: () => string, chains: ImportChains): Plugin {
  return {
    name: "holdfast:private-environment",
    sharedDuringBuild: true,
    enforce: "pre",
    applyToEnvironment: (environment) => environment.name === "client",
    transform: {
      filter: { id: { include: /\.[cm]?[jt]sx?(?:$|\?)/, exclude: /\/node_modules\// }, code: /\benv\b/ },
      handler(code, id) {
        const file = withoutQuery(id);
        if (isOwnFile(file) || id.startsWith("\0")) return;
        const [first] = findPrivateVariables(file, code);
        if (first)
          throw buildErrors.privateVariableInBrowser(
            first.name,
            `${nameOf(root(), file)}:${first.line}`,
            chains.describe(file),
          );
      },
    },
  };
}

/**
 * Uses of the environment that a browser has no business with. `name` is as it is written: `process.env.DATABASE_URL`.
 */
export function findPrivateVariables(file: string, code: string): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = [];
  const judged = new Set<ESTree.Node>();
  const judge = (node: ESTree.Node, environment: "process.env" | "import.meta.env", key: string | undefined) => {
    const isPublic = key !== undefined && (key.startsWith(publicPrefix) || harmless.has(key));
    // The whole of import.meta.env holds public values only; the whole of process.env is not there in a browser.
    if (isPublic || (environment === "import.meta.env" && key === undefined)) return;
    found.push({ name: key === undefined ? environment : `${environment}.${key}`, line: lineAt(code, node.start) });
  };
  const { program } = parseSync(file, code);
  new Visitor({
    MemberExpression(node) {
      const inner = node.object.type === "MemberExpression" ? environmentOf(node.object) : undefined;
      if (inner) {
        judged.add(node.object);
        judge(node, inner, keyOf(node));
      }
      const own = judged.has(node) ? undefined : environmentOf(node);
      if (own === "process.env") judge(node, own, undefined);
    },
  }).visit(program);
  return found;
}

function environmentOf(node: ESTree.MemberExpression): "process.env" | "import.meta.env" | undefined {
  if (keyOf(node) !== "env") return undefined;
  const { object } = node;
  if (object.type === "Identifier") return object.name === "process" ? "process.env" : undefined;
  return object.type === "MetaProperty" ? "import.meta.env" : undefined;
}

function keyOf({ property, computed }: ESTree.MemberExpression): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined;
}

export function lineAt(code: string, offset: number): number {
  return code.slice(0, offset).split("\n").length;
}
