import { type ESTree, type Plugin, parseSync, Visitor } from "vite";
import { buildErrors } from "../errors.ts";
import { isOwnFile } from "../own-package.ts";
import { runsTests } from "../test-run.ts";
import { type ImportChains, nameOf, withoutQuery } from "./import-chain.ts";

/** Prefix of public variables; Vite writes their values into the browser's code. */
export const publicPrefix = "PUBLIC_";

/** Built-in names of `import.meta.env`, and the one variable that packages may read. */
const harmless = new Set(["MODE", "BASE_URL", "PROD", "DEV", "SSR", "NODE_ENV"]);

/** The third guard: the server's environment contains secrets, so browser code must not read it. */
export function privateEnvironmentGuard(root: () => string, chains: ImportChains): Plugin {
  return {
    name: "holdfast:private-environment",
    sharedDuringBuild: true,
    enforce: "pre",
    applyToEnvironment: (environment) => environment.name === "client" && !runsTests(environment),
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

/** Finds forbidden uses of the environment. `name` is the source text: `process.env.DATABASE_URL`. */
export function findPrivateVariables(file: string, code: string): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = [];
  const judged = new Set<ESTree.Node>();
  const judge = (node: ESTree.Node, environment: "process.env" | "import.meta.env", key: string | undefined) => {
    const isPublic = key !== undefined && (key.startsWith(publicPrefix) || harmless.has(key));
    // `import.meta.env` as a whole holds public values only; `process.env` does not exist in a browser.
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
