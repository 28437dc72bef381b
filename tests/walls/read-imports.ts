/** One import of a file, as written. */
export interface Import {
  from: string;
  line: number;
  /** `false` if nothing of it remains after compiling: `import type`, `export type`. */
  runs: boolean;
  /** `import()`: runs when it is reached, not when the file is loaded. */
  later: boolean;
}

const bindings = String.raw`(?:\*(?:\s+as\s+[\w$]+)?|[\w$]+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+[\w$]+))?|\{[^}]*\})`;
const statement = new RegExp(
  String.raw`^[ \t]*(?:import|export)\s+(type\s+)?${bindings}\s*from\s*["']([^"']+)["']`,
  "gm",
);
const bare = /^[ \t]*import\s*["']([^"']+)["']/gm;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*[,)]/g;

const comment = String.raw`\/\*[\s\S]*?\*\/|\/\/.*$`;
const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const template = "`(?:[^`\\\\$]|\\\\[\\s\\S]|\\$(?!\\{)|\\$\\{(?:[^{}`]|`[^`]*`|\\{[^{}]*\\})*\\})*`";
const notCode = new RegExp(`${comment}|(${quoted})|${template}`, "gm");

/**
 * Finds imports by their shape alone, without a compiler: fast, and the same for every dialect. The formatter keeps the
 * shapes regular.
 */
export function readImports(source: string): Import[] {
  // Examples in comments and generated code are no imports. Quoted text stays, because it contains the path.
  const text = source.replaceAll(notCode, (found, kept) => kept ?? found.replaceAll(/[^\n]/g, " "));
  const line = (index: number) => text.slice(0, index).split("\n").length;
  const statements = [...text.matchAll(statement)].map(({ 0: whole, 1: type, 2: from = "", index }) => {
    return { from, line: line(index), runs: !type && !onlyTypes(whole), later: false };
  });
  const others = [bare, dynamic].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 1: from = "", index }) => {
      return { from, line: line(index), runs: true, later: pattern === dynamic };
    }),
  );
  return [...statements, ...others];
}

/** `import { type A, type B } from …` */
function onlyTypes(statement: string): boolean {
  const names = /^\s*(?:import|export)\s*\{([^}]*)\}/.exec(statement)?.[1]?.split(",") ?? [];
  const given = names.map((name) => name.trim()).filter((name) => name !== "");
  return given.length > 0 && given.every((name) => name.startsWith("type "));
}
