import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, defaultServerConditions } from "vite";
import { quickToRead } from "../src/build/output/quick-to-read.ts";
import { asScript } from "./as-script.js";
import { builtinsInParts } from "./builtins-in-parts.js";
import { root } from "./root.js";

/**
 * Entries of `holdfast start` and `holdfast service`: the commands, and the threads they start, which must lie beside
 * them. `index` is bundled on its own: what it shares with the others is written twice, but a start reads one large
 * file instead of a dozen, each of which takes Node a millisecond or two to find and link.
 */
const bundles = [
  { index: "src/cli/start.ts" },
  {
    service: "src/cli/service.ts",
    "filing-worker": "src/service/thread/filing-worker.ts",
    "watch-main-thread": "src/reporting/server/watch/watch-main-thread.ts",
    "stall-worker": "src/reporting/server/watch/stall-worker.ts",
  },
];

/** Stateful modules that the package's entry points share with the running host: one compiled instance of each. */
const shared = ["src/errors/index.ts", "src/reporting/report-api.ts", "src/service/console-api/running-console-api.ts"];

/**
 * Bundles the code of a production start into a few files, beside the compiled parts: reading and linking two hundred
 * small files would take most of the time to the first response.
 * @param {string} folder of the compiled parts
 * @param {string} name of the folder in it
 * @param {import("vite").Plugin[]} plugins for a modified start, used by benchmarks
 */
export async function bundleStart(folder, name = "start", plugins = []) {
  for (const [at, entries] of bundles.entries())
    await bundle({ entries, outDir: join(folder, name), plugins, isEmptied: at === 0, at: name });
  writeScript(join(folder, name), "index");
}

/**
 * Makes a script of a bundle, with a module in its place.
 * @param {string} folder
 * @param {string} name of its file
 */
function writeScript(folder, name) {
  const file = join(folder, name);
  const code = readFileSync(`${file}.js`, "utf8");
  const { script, module } = asScript(code, { script: `./${name}.script.js`, runner: "../cli/index.js" });
  writeFileSync(`${file}.script.js`, script);
  writeFileSync(`${file}.js`, module);
}

/**
 * Makes one file of each module that every start reads beside its bundle, and of all that the module imports. The file
 * stays where it is compiled, because other modules import it.
 * @param {string} folder of the compiled parts
 */
export async function bundleInPlace(folder) {
  for (const file of [...shared, "src/cli/index.ts"]) {
    const name = relative("src", file).replace(/\.ts$/, "");
    const plugins = [partsOnDemand()];
    await bundle({ entries: { [name]: file }, outDir: folder, plugins, isEmptied: false, at: dirname(name) });
  }
}

/** Commands whose bundles lie elsewhere: a start does not read a file that only names them. */
const bundled = new Map([
  ["./start.ts", "../start/index.js"],
  ["./service.ts", "../start/service.js"],
]);

/**
 * Leaves what is imported on demand in its own file, such as each command of the command line.
 * @returns {import("vite").Plugin}
 */
function partsOnDemand() {
  return {
    name: "parts-on-demand",
    enforce: "pre",
    resolveId: (id, _importer, { kind }) =>
      kind === "dynamic-import" ? { id: bundled.get(id) ?? id.replace(/\.ts$/, ".js"), external: true } : null,
  };
}

/**
 * @typedef {object} Bundle
 * @property {Record<string, string>} entries
 * @property {string} outDir
 * @property {import("vite").Plugin[]} plugins
 * @property {boolean} isEmptied whether older files of the folder are removed
 * @property {string} at folder of the entries among the compiled parts
 */

/** @param {Bundle} bundle */
async function bundle({ entries, outDir, plugins, isEmptied, at }) {
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    plugins: [...plugins, sharedModules(at), builtinsInParts()],
    ssr: { noExternal: [/^#/], resolve: { conditions: ["holdfast-source", ...defaultServerConditions] } },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: isEmptied,
      copyPublicDir: false,
      target: "node24",
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: entries,
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          // The package contains the sources, where the maps point.
          sourcemapExcludeSources: true,
          ...quickToRead,
        },
      },
    },
  });
}

/**
 * @param {string} at folder of the entries among the compiled parts
 * @returns {import("vite").Plugin}
 */
function sharedModules(at) {
  const files = new Map(
    shared.map((file) => [join(root, file), relative(join("src", at), file).replace(/\.ts$/, ".js")]),
  );
  return {
    name: "shared-modules",
    enforce: "pre",
    async resolveId(id, importer, options) {
      // The entry itself.
      if (importer === undefined) return null;
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      const compiled = resolved && files.get(resolved.id);
      return compiled ? { id: compiled, external: true } : null;
    },
  };
}
