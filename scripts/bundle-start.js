import { join, relative } from "node:path";
import { build, defaultServerConditions } from "vite";
import { root } from "./root.js";

/**
 * Entries of `holdfast start` and `holdfast service`: the commands, and the threads they start, which must lie beside
 * them.
 */
const entries = {
  index: "src/cli/start.ts",
  service: "src/cli/service.ts",
  "filing-worker": "src/service/thread/filing-worker.ts",
  "watch-main-thread": "src/reporting/server/watch/watch-main-thread.ts",
  "stall-worker": "src/reporting/server/watch/stall-worker.ts",
};

/** Stateful modules that the package's entry points share with the running host: one compiled instance of each. */
const shared = ["src/errors/index.ts", "src/reporting/report-api.ts", "src/service/console-api/running-console-api.ts"];

/** Importing all of `node:http` loads Node's web client, which takes longer than the rest of a server. */
const httpParts = ["Agent", "IncomingMessage", "ServerResponse", "createServer", "request"];

/**
 * Bundles the code of a production start into a few files, beside the compiled parts: reading and linking two hundred
 * small files would take most of the time to the first response.
 * @param {string} folder of the compiled parts
 * @param {string} name of the folder in it
 * @param {import("vite").Plugin[]} plugins for a modified start, used by benchmarks
 */
export async function bundleStart(folder, name = "start", plugins = []) {
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    plugins: [...plugins, sharedModules(), httpInParts()],
    ssr: { noExternal: [/^#/], resolve: { conditions: ["holdfast-source", ...defaultServerConditions] } },
    build: {
      ssr: true,
      outDir: join(folder, name),
      copyPublicDir: false,
      target: "node24",
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: entries,
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          // All entries use some of it. Otherwise each set of entries would have its own small file.
          codeSplitting: { groups: [{ name: "protocol", test: /\/src\/protocol\// }] },
          // The package contains the sources, where the maps point.
          sourcemapExcludeSources: true,
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

/** @returns {import("vite").Plugin} */
function httpInParts() {
  const id = "\0http-parts";
  return {
    name: "http-in-parts",
    enforce: "pre",
    resolveId: (source) => (source === "node:http" ? id : null),
    load: (loaded) =>
      loaded === id ? `export const { ${httpParts.join(", ")} } = process.getBuiltinModule("node:http");` : null,
  };
}
