/**
 * Node's own modules without an import statement, which takes Node a tenth of a start: it makes a second module of each
 * and reads all of its exports, some of which load further modules.
 *
 * Lines and their order stay, so that source maps remain right. `import * as` stays an import.
 * @param {string} code
 */
export function takeBuiltinsApart(code) {
  return code.replaceAll(importOfBuiltin, (_whole, main, names, id) => {
    const taken = `process.getBuiltinModule("${id}");`;
    const list = names?.replaceAll(/\btype [^,}]+,?/g, "").replaceAll(" as ", ": ") ?? "";
    if (main === undefined) return `const ${list} = ${taken}`;
    return /\w/.test(list) ? `const ${main} = ${taken} const ${list} = ${main};` : `const ${main} = ${taken}`;
  });
}

/** `import main, { name, other as own } from "node:fs";`, on one line or several. */
const importOfBuiltin = /^import (?!type )(?:(\w+)(?:, )?)?(\{[^}]*\})? ?from "(node:[\w/]+)";/gm;

/**
 * The same for what a bundler reads.
 * @returns {import("vite").Plugin}
 */
export function builtinsInParts() {
  // Without a map of its own, because all other lines stay where they are.
  const transform = (/** @type {string} */ code) => ({ code: takeBuiltinsApart(code), map: null });
  return { name: "builtins-in-parts", enforce: "pre", transform };
}
