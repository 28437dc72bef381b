import { join } from "node:path";
import { build } from "vite";
import { root } from "../../scripts/root.js";

/** Bundles a module for a browser as the Vite of another tool does, which knows nothing of Holdfast. */
export async function bundleForBrowser(file: string): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["holdfast-source", "module", "browser"] },
    build: { write: false, rolldownOptions: { input: join(root, file), output: { codeSplitting: false } } },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("Vite gave something else than one bundle.");
  const [chunk] = result.output;
  return chunk.code;
}
