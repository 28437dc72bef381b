import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, defaultServerConditions } from "vite";
import { fingerprint, rememberedFingerprint } from "./fingerprint.js";
import { root } from "./root.js";

/** Entry files of threads, and modules that such a thread imports later. */
const entries = {
  "filing-worker": "src/service/thread/filing-worker.ts",
  "watch-main-thread": "src/reporting/server/watch/watch-main-thread.ts",
  "stall-worker": "src/reporting/server/watch/stall-worker.ts",
};

const folder = join(root, "node_modules/.cache/holdfast/threads");

/**
 * Compiles the threads of a host that runs from source, as in tests and benchmarks, if something has changed. Node
 * would strip their types with WebAssembly, and about one run in fifty crashed while a new thread freed that code.
 */
export async function compileThreads() {
  const current = fingerprint(["src", "scripts/compile-threads.js", "package-lock.json"]);
  const last = rememberedFingerprint("threads");
  if (existsSync(folder) && last.matches(current)) return;
  const growing = `${folder}-${process.pid}`;
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    ssr: { noExternal: [/^#/], resolve: { conditions: ["holdfast-source", ...defaultServerConditions] } },
    build: {
      ssr: true,
      outDir: growing,
      copyPublicDir: false,
      target: "node24",
      minify: false,
      rolldownOptions: { input: entries, output: { entryFileNames: "[name].js" } },
    },
  });
  rmSync(folder, { recursive: true, force: true });
  renameSync(growing, folder);
  last.remember(current);
}
