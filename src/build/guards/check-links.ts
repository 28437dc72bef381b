import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ESTree, type Plugin, parseSync, Visitor } from "vite";
import {
  type AddressRule,
  addressBelow,
  canonicalPath,
  createMatcher,
  type LanguageTable,
  pathBelow,
  type RouteTable,
  splitLanguage,
} from "#routes";
import type { ApplicationFiles } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { isOwnFile } from "../own-package.ts";
import { nameOf, withoutQuery } from "./import-chain.ts";
import { lineAt } from "./private-environment.ts";

/**
 * A target that is a literal in the code. `link`: the framework renders its page in the browser, so it must lead to a
 * page. `href`: a page or an API route. `redirect`: also other addresses. `anchor` is `<a href>`, which the browser
 * reads: an address of the host, not a path of the application.
 */
export interface LiteralLink {
  target: string;
  by: "link" | "href" | "redirect" | "anchor";
  line: number;
}

/**
 * Checks every literal target against the routes: `<Link to>`, `<a href>`, `redirect`, `navigate`, `prefetch`, `href`.
 * A build fails with the list of all broken ones; in development each is a warning.
 */
export function linkCheck(
  known: () => ApplicationFiles,
  beside: () => Pick<BesideRoutes, "elsewhere" | "rules">,
): Plugin {
  const broken: { location: string; why: string }[] = [];
  let judge: { table: RouteTable; answers: ReturnType<typeof createAnswers> } | undefined;
  const answersFor = ({ root, table, languages }: ApplicationFiles) => {
    if (judge?.table !== table) {
      const isPublicFile = (path: string): boolean => existsSync(join(root, "public", path));
      judge = { table, answers: createAnswers(table, { ...beside(), isPublicFile, languages: languages?.table }) };
    }
    return judge.answers;
  };
  return {
    name: "holdfast:links",
    sharedDuringBuild: true,
    enforce: "pre",
    // The server build contains every page and all server code, so it sees all links.
    applyToEnvironment: (environment) => environment.name === "ssr",
    transform: {
      filter: {
        id: { include: /\.[cm]?[jt]sx?(?:$|\?)/, exclude: /\/node_modules\// },
        code: /href|Link|redirect|navigate|prefetch/,
      },
      handler(code, id) {
        const file = withoutQuery(id);
        if (isOwnFile(file) || id.startsWith("\0")) return;
        const answers = answersFor(known());
        for (const link of findLinks(file, code)) {
          const why = answers(link);
          if (why === null) continue;
          const location = `${nameOf(known().root, file)}:${link.line}`;
          if (this.environment.mode === "dev") this.warn(`${location} ${why}.`);
          else broken.push({ location, why });
        }
      },
    },
    buildEnd(error) {
      if (!error && broken.length > 0) throw buildErrors.brokenLinks(broken.splice(0));
    },
  };
}

/** What answers beside the routes of an application. */
export interface BesideRoutes {
  isPublicFile: (path: string) => boolean;
  /** Prefixes that another server answers. */
  elsewhere: readonly string[];
  /** Redirects and rewrites of the configuration. */
  rules: readonly AddressRule[];
  languages?: LanguageTable | undefined;
}

/** Returns why a link is broken; null if it is valid, or can only be resolved at run time. */
export function createAnswers(table: RouteTable, { isPublicFile, elsewhere, rules, languages }: BesideRoutes) {
  const match = createMatcher(table);
  const matchRule = createMatcher({ at: table.at, routes: rules });
  const kinds = new Map(table.routes.map((route) => [route.id, route.kind]));

  return ({ target, by }: LiteralLink): string | null => {
    const [text = ""] = target.split(/[?#]/);
    if (!text.startsWith("/") || text.startsWith("//")) return null;
    const address = by === "anchor" ? text : addressBelow(table.at, text);
    const path = languages ? splitLanguage(languages, table.at, address).path : address;
    const kind = kinds.get(pathBelow(table.at, path) ?? "") ?? kindOf(path);
    if (kind === "page") return null;
    if (kind === "api")
      return by === "link" ? `links to "${target}", an API route: it needs a plain <a> with data-hard` : null;
    const answered =
      (by === "redirect" || by === "anchor") &&
      (isPublicFile(path) || isFrameworkPath(path, elsewhere) || isTaken(path));
    if (answered) return null;
    // Without `at` of the build, the same link is right.
    const below = addressBelow(table.at, text);
    if (by === "anchor" && below !== text && kindOf(below) === "page")
      // Not `href`, which would escape a `?` and a `#` in its target.
      return `links to "${target}" of the host, but the page is below ${table.at}: write <Link to="${target}">`;
    return `links to "${target}", which no page answers`;
  };

  function isTaken(path: string): boolean {
    const target = path.includes("[") ? undefined : canonicalPath(path);
    if (!target || target.kind === "bad") return false;
    return matchRule(target.kind === "redirect" ? target.to : target.path).kind === "found";
  }

  function kindOf(path: string): "page" | "api" | null {
    if (path.includes("[")) return null;
    const target = canonicalPath(path);
    const found = target.kind === "bad" ? null : match(target.kind === "redirect" ? target.to : target.path);
    return found?.kind === "found" ? (table.routes[found.index]?.kind ?? null) : null;
  }
}

/** Addresses that the host serves beside the application's routes. */
const frameworkPaths = ["/healthz", "/readyz", "/_holdfast"];

/** Whether the host or another server answers below a path, and not a route of the application. */
export function isFrameworkPath(path: string, elsewhere: readonly string[]): boolean {
  return [...frameworkPaths, ...elsewhere].some((prefix) => `${path}/`.startsWith(`${prefix}/`));
}

/**
 * Finds the links in a file. `Link`, `redirect` and the others count if they are imported from the framework, under any
 * local name.
 */
export function findLinks(file: string, code: string): LiteralLink[] {
  const { program } = parseSync(file, code);
  const ours = namesFromFramework(program);
  const links: LiteralLink[] = [];
  const add = (node: ESTree.Node, value: unknown, by: LiteralLink["by"]) => {
    const target = textOf(value);
    if (target !== null) links.push({ target, by, line: lineAt(code, node.start) });
  };
  new Visitor({
    JSXOpeningElement(node) {
      if (node.name.type !== "JSXIdentifier") return;
      const attributes = new Map(
        node.attributes.map((one) => (one.type === "JSXAttribute" ? [String(one.name.name), one.value] : ["", null])),
      );
      if (ours.get(node.name.name) === "Link") add(node, attributes.get("to"), "link");
      if (node.name.name === "a" && !attributes.has("data-hard")) add(node, attributes.get("href"), "anchor");
    },
    CallExpression(node) {
      const name = node.callee.type === "Identifier" ? ours.get(node.callee.name) : undefined;
      if (name === "redirect" || name === "href") add(node, node.arguments[0], name);
      if (name === "navigate" || name === "prefetch") add(node, node.arguments[0], "link");
    },
  }).visit(program);
  return links;
}

/** Maps local names to the export names of `holdfast` and `holdfast/server`. */
function namesFromFramework(program: ESTree.Program): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || !/^holdfast(?:\/server)?$/.test(statement.source.value)) continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type !== "ImportSpecifier") continue;
      names.set(
        specifier.local.name,
        specifier.imported.type === "Identifier" ? specifier.imported.name : specifier.imported.value,
      );
    }
  }
  return names;
}

/** Returns the text of `"/a"`, `{"/a"}` or a template without expressions; null for computed values. */
function textOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const node = value as ESTree.Node;
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node.type === "JSXExpressionContainer") return textOf(node.expression);
  if (node.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null;
  return null;
}
