import { parseAst } from "vite";

/**
 * What the script is given, by names that its code does not have anywhere, because a variable of a function would hide
 * them. None is longer than what it replaces.
 */
const names = { meta: "$meta$", load: "$load$", given: "$given$" };

/**
 * Splits a bundled module into a script with all of its code, for which V8 can keep the functions that were called, and
 * a module that imports and exports the same names and runs the script. Errors name the module, at the lines and
 * columns that the code had in it, so that its source map stays as it is.
 *
 * @param {string} code of a module, as the bundler writes it: names are imported and exported by lists
 * @param {{ script: string, runner: string }} files name of the script, and the module with `runCompiled`, both as
 * the module names them
 */
export function asScript(code, { script, runner }) {
  const [, map = ""] = code.split(/(?=\n\/\/# sourceMappingURL=)/);
  const { body } = /** @type {{ body: any[] }} */ (/** @type {unknown} */ (parseAst(code)));
  const imports = body.filter(({ type }) => type === "ImportDeclaration");
  const exports = body.filter(({ type }) => type.startsWith("Export"));
  /** @type {string[]} */
  const exported = exports.flatMap(exportedNames);
  const changes = [
    ...imports.map((node, at) => ({
      ...node,
      text: `const{${node.specifiers.map(importedName)}}=${names.given}[${at}];`,
    })),
    ...exports.map((node) => ({ ...node, text: `return{${node.specifiers.map(returnedName)}};` })),
    ...nodesOf(body).flatMap(facilityOf),
  ];
  for (const name of Object.values(names))
    if (code.includes(name)) throw new Error(`A script is given ${name}, which its code uses itself.`);
  refuseWhatScriptsReadOtherwise(code, body);
  refuseChanging(body, new Set(exports.flatMap(({ specifiers }) => specifiers.map(localName))));
  return {
    script: wrapped(replaced(code, changes)),
    module: [
      `import { runCompiled } from ${JSON.stringify(runner)};`,
      ...imports.map(({ source }, at) => `import * as given${at} from ${JSON.stringify(source.value)};`),
      `const run = runCompiled(new URL(${JSON.stringify(script)}, import.meta.url), import.meta.url);`,
      `export const { ${exported} } = run(import.meta, (id) => import(id), [${imports.map((_, at) => `given${at}`)}]);${map}`,
    ].join("\n"),
  };
}

/**
 * In one line before the code, of which `runCompiled` knows.
 * @param {string} code
 */
function wrapped(code) {
  return `(function(${Object.values(names)}){"use strict";\n${code}\n})\n`;
}

/** @param {any} node */
function facilityOf(node) {
  if (node.type === "MetaProperty" && node.meta.name === "import") return [{ ...node, text: names.meta }];
  // The name has as many letters as the word `import`.
  return node.type === "ImportExpression" ? [{ start: node.start, end: node.start + 6, text: names.load }] : [];
}

/** @param {any} specifier */
function importedName({ type, imported, local }) {
  if (type !== "ImportSpecifier") throw new Error(`A script imports names in lists, not ${local.name} as a whole.`);
  return `${imported.name}:${local.name}`;
}

/** @param {any} statement */
function exportedNames({ type, declaration, source, specifiers }) {
  if (type !== "ExportNamedDeclaration" || declaration || source) throw new Error("A script exports names in lists.");
  return specifiers.map((/** @type {any} */ { exported }) => exported.name);
}

/** @param {any} specifier */
const localName = ({ local }) => local.name;
/** @param {any} specifier */
const returnedName = ({ exported, local }) => `${exported.name}:${local.name}`;

/**
 * Scripts have comments of HTML, modules do not: `a<!--b` is another expression.
 * @param {string} code
 * @param {any[]} body
 */
function refuseWhatScriptsReadOtherwise(code, body) {
  const texts = nodesOf(body).filter(({ type }) => type === "Literal" || type === "TemplateElement");
  for (const { index } of code.matchAll(/<!--|^\s*-->/gm))
    if (!texts.some(({ start, end }) => start <= index && index < end))
      throw new Error(`A script reads "${code.slice(index, index + 10)}" as a comment.`);
}

/**
 * A module that imports a name of a script gets the value that the name had at the end of the script.
 * @param {any[]} body
 * @param {Set<string>} exported
 */
function refuseChanging(body, exported) {
  for (const { type, left, argument } of nodesOf(body)) {
    const target = assigning.has(type) ? left : type === "UpdateExpression" ? argument : undefined;
    for (const name of targetsIn(target))
      if (exported.has(name)) throw new Error(`A script cannot export ${name}, whose value changes.`);
  }
}

/** A loop assigns too, unless it declares its variable. */
const assigning = new Set(["AssignmentExpression", "ForOfStatement", "ForInStatement"]);

/**
 * @param {any} target of an assignment: a variable, a property, or a pattern with several
 * @returns {string[]} names of its variables
 */
function targetsIn(target) {
  switch (target?.type) {
    case "Identifier":
      return [target.name];
    case "ArrayPattern":
      return target.elements.flatMap(targetsIn);
    case "ObjectPattern":
      return target.properties.flatMap(targetsIn);
    case "Property":
      return targetsIn(target.value);
    case "AssignmentPattern":
      return targetsIn(target.left);
    case "RestElement":
      return targetsIn(target.argument);
    case "ParenthesizedExpression":
      return targetsIn(target.expression);
    default:
      return [];
  }
}

/**
 * @param {any} node
 * @returns {any[]} it and all nodes inside of it
 */
function nodesOf(node) {
  if (Array.isArray(node)) return node.flatMap(nodesOf);
  if (typeof node?.type !== "string") return [];
  return [node, ...Object.values(node).flatMap((part) => (typeof part === "object" ? nodesOf(part) : []))];
}

/**
 * Shorter texts are followed by spaces, so that what follows keeps its column.
 * @param {string} code
 * @param {{ start: number, end: number, text: string }[]} changes
 */
function replaced(code, changes) {
  let result = "";
  let at = 0;
  for (const { start, end, text } of changes.toSorted((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text.padEnd(end - start);
    at = end;
  }
  return result + code.slice(at);
}
