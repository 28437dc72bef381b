import type { Plugin } from "vite";

/** The files of React's production build, and those by whose names applications import them. */
const reactFile = /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/](?:cjs[\\/][\w-]+\.production|[\w-]+)\.js$/;

/**
 * Turns React's CommonJS files into modules for the browser's build. The bundler leaves out what no module
 * imports, and shortens the names of the rest; of CommonJS it keeps everything.
 */
export function reactModules(): Plugin {
  let isProduction = false;
  return {
    name: "holdfast:react-modules",
    sharedDuringBuild: true,
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    configResolved(config) {
      isProduction = config.isProduction;
    },
    // React asks whether the scheduler has functions that only its other builds have.
    onLog: (_level, { code, id }) => (code === "IMPORT_IS_UNDEFINED" && reactFile.test(id ?? "") ? false : undefined),
    transform: {
      order: "pre",
      filter: { id: reactFile },
      handler: (code) => {
        const module = isProduction ? moduleOf(code) : undefined;
        // The lines stay where they are, so that source maps need no other positions.
        return module === undefined ? undefined : { code: module, map: null };
      },
    },
  };
}

/** A file that chooses between production and development. */
const chooser = /^'use strict';[\s\S]*\bmodule\.exports = require\('(\.\/cjs\/[\w-]+\.production\.js)'\);/;
const required = /^(?:var| ) (\w+) = require\("([\w-]+)"\)[,;]$/gm;
const exported = /^exports\.(\w+) =/gm;

/** Undefined for a file in another shape than those of React's build: it stays as it is. */
export function moduleOf(code: string): string | undefined {
  const chosen = chooser.exec(code)?.[1];
  if (chosen !== undefined) {
    const from = JSON.stringify(chosen);
    return `export * from ${from}; import * as all from ${from}; export default all;`;
  }
  const imports = [...code.matchAll(required)].map(([, name, file]) => `import * as ${name} from "${file}";`);
  const names = new Set([...code.matchAll(exported)].map(([, name = ""]) => name));
  const module = code
    .replaceAll(required, "")
    .replaceAll(exported, "var exported_$1 =")
    .replaceAll(/\bexports\.(\w+)/g, (whole, name: string) => (names.has(name) ? `exported_${name}` : whole));
  if (names.size === 0 || /\bexports\b|\brequire\(/.test(module)) return undefined;
  const list = [...names].map((name) => `exported_${name} as ${name}`);
  return `${imports.join(" ")}${module}\nexport { ${list.join(", ")} };\n`;
}
