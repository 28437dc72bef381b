import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

/** A line of a comment, with its position. */
interface CommentLine {
  place: string;
  text: string;
  columns: number;
}

/** What makes the files below `root` harder to read. */
export interface PlainCode {
  /** Comment lines over 120 columns: the formatter wraps code, but not comments. */
  longComments: string[];
  /** Exported names that two files of `src` define: one word, one meaning. */
  namesDefinedTwice: string[];
  /** Functions of `src` with more than four parameters; an object would name each value at the call. */
  manyParameters: string[];
  /**
   * Getters in object literals of code that runs for each request. V8 gives each such object its own hidden class. It
   * keeps the getter, and the request that the getter refers to, until a full garbage collection. A class does not.
   */
  getterLiterals: string[];
  /** Archaic or vague words in comments. */
  heavyWords: string[];
  /** Names of tests that have no subject: a line of a failed run has to be a sentence without its `describe`. */
  fragments: string[];
}

const columnsAtMost = 120;
const parametersAtMost = 4;
const heavyWord = /\b(?:whoever|nobody|anew|told|whatever)\b/gi;
const fragment = /^(?:that|and|nor|but|or|whose|because|are)\b/;
const forEachRequest = /^src\/(?:pages\/server|host|http)\//;
const folders = ["src", "console", "tour", "create", "tests", "scripts", "bench"];
const isTest = /\.(?:test|contract|test-d|long-test)\.tsx?$/;

export function readPlainCode(root: string): PlainCode {
  const found: PlainCode = {
    longComments: [],
    namesDefinedTwice: [],
    manyParameters: [],
    getterLiterals: [],
    heavyWords: [],
    fragments: [],
  };
  const definedIn = new Map<string, string[]>();
  for (const path of filesOf(root)) {
    const source = readFileSync(join(root, path), "utf8");
    const { program, comments } = parseSync(path, source);
    const lines = comments.flatMap((comment) => linesOf(path, source, comment));
    found.longComments.push(...lines.filter(({ columns }) => columns > columnsAtMost).map(({ place }) => place));
    if (isTest.test(path)) {
      visit(program, (node) => {
        const name = testNameOf(node);
        if (name !== undefined && fragment.test(name))
          found.fragments.push(`${path}:${lineAt(source, Number(node.start))} ${name}`);
      });
      continue;
    }
    if (/^(?:src|console|tour)\//.test(path))
      for (const { text, place } of lines)
        found.heavyWords.push(...(text.match(heavyWord) ?? []).map((word) => `${place} ${word}`));
    if (!path.startsWith("src/")) continue;
    for (const name of namesOf(program.body)) definedIn.set(name, [...(definedIn.get(name) ?? []), path]);
    visit(program, (node) => {
      const { params, body, start } = node;
      if (Array.isArray(params) && body && params.length > parametersAtMost)
        found.manyParameters.push(`${path}:${lineAt(source, Number(start))} ${params.length}`);
      if (forEachRequest.test(path) && node.type === "Property" && node.kind === "get")
        found.getterLiterals.push(`${path}:${lineAt(source, Number(start))}`);
    });
  }
  for (const [name, paths] of definedIn)
    if (withoutTwin(paths).length > 1) found.namesDefinedTwice.push(`${name}: ${paths.join(", ")}`);
  return found;
}

/** The two stores answer the same questions, under the same names; no file imports both. */
function withoutTwin(paths: readonly string[]): readonly string[] {
  const isInSqlite = paths.some((path) => path.startsWith("src/service/stores/sqlite/"));
  return isInSqlite ? paths.filter((path) => !path.startsWith("src/service/stores/postgres/")) : paths;
}

function filesOf(root: string): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.{ts,tsx,js}`);
  const left = ["node_modules", "dist", ".holdfast", ".tmp", "peers", "shared"];
  return globSync(patterns, { cwd: root, exclude: (name) => left.includes(name) || name.endsWith(".d.ts") })
    .map((file) => file.replaceAll("\\", "/"))
    .sort();
}

function linesOf(path: string, source: string, { start, end }: { start: number; end: number }): CommentLine[] {
  const from = source.lastIndexOf("\n", start) + 1;
  const first = lineAt(source, start);
  const texts = source.slice(start, end).split("\n");
  const columns = source.slice(from, end).split("\n");
  return texts.map((text, index) => ({
    place: `${path}:${first + index}`,
    text,
    columns: columns[index]?.length ?? 0,
  }));
}

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split("\n").length;
}

type Node = Record<string, unknown>;

/** The names that a file exports and defines itself; overloads of one function are one name. */
function namesOf(body: readonly object[]): Set<string> {
  const names = new Set<string>();
  for (const statement of body as Node[]) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    const declaration = statement.declaration as Node | null;
    for (const one of declared(declaration)) {
      const name = (one.id as Node | undefined)?.name;
      if (typeof name === "string") names.add(name);
    }
  }
  return names;
}

function declared(declaration: Node | null): Node[] {
  if (!declaration) return [];
  return Array.isArray(declaration.declarations) ? (declaration.declarations as Node[]) : [declaration];
}

/** The name in `it("…", run)`, `test.each(rows)("…", run)` and the like. */
function testNameOf({ type, callee, arguments: given }: Node): string | undefined {
  if (type !== "CallExpression" || !Array.isArray(given) || given.length < 2) return undefined;
  let called = callee as Node | undefined;
  while (called && called.type !== "Identifier") called = (called.object ?? called.callee) as Node | undefined;
  if (called?.name !== "it" && called?.name !== "test") return undefined;
  const [first] = given as Node[];
  const [start] = (first?.quasis ?? []) as { value: { cooked: string } }[];
  return typeof first?.value === "string" ? first.value : start?.value.cooked;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see);
  else if (typeof value === "object" && value !== null) {
    see(value as Node);
    for (const inner of Object.values(value)) visit(inner, see);
  }
}
