import { join, relative } from "node:path";
import { build, defaultServerConditions } from "vite";
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
 * Without comments and spaces, and in ASCII alone: Node reads less, and keeps a byte for each character instead of two.
 * Names stay as they are, because stack traces contain them.
 * @type {import("vite").Rolldown.OutputOptions}
 */
const quickToRead = {
  comments: { legal: true, jsdoc: false, annotation: false },
  minify: { compress: false, mangle: false, codegen: { asciiOnly: true } },
};

/**
 * Bundles the code of a production start into a few files, beside the compiled parts: reading and linking two hundred
 * small files would take most of the time to the first response.
 * @param {string} folder of the compiled parts
 * @param {string} name of the folder in it
 * @param {import("vite").Plugin[]} plugins for a modified start, used by benchmarks
 */
export async function bundleStart(folder, name = "start", plugins = []) {
  for (const [at, entries] of bundles.entries()) await bundle(entries, join(folder, name), plugins, at === 0);
}

/**
 * @param {Record<string, string>} entries
 * @param {string} outDir
 * @param {import("vite").Plugin[]} plugins
 * @param {boolean} isFirst
 */
async function bundle(entries, outDir, plugins, isFirst) {
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    plugins: [...plugins, sharedModules(), builtinsInParts()],
    ssr: { noExternal: [/^#/], resolve: { conditions: ["holdfast-source", ...defaultServerConditions] } },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: isFirst,
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

/** @returns {import("vite").Plugin} */
function sharedModules() {
  const files = new Map(
    shared.map((file) => [join(root, file), `../${relative("src", file).replace(/\.ts$/, ".js")}`]),
  );
  return {
    name: "shared-modules",
    enforce: "pre",
    async resolveId(id, importer, options) {
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      const compiled = resolved && files.get(resolved.id);
      return compiled ? { id: compiled, external: true } : null;
    },
  };
}
