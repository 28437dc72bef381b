import { readFile } from "node:fs/promises";
import { type DepOptimizationOptions, parseSync, type Rolldown } from "vite";

/**
 * Vite bundles packages for the browser and reloads the page when it finds a new one. Scanning all pages at the start
 * avoids this reload, which would lose a visitor's input.
 */
export const scannedPackages: DepOptimizationOptions = {
  entries: ["src/pages/**/*.{jsx,tsx}", "!**/*.server.*"],
  // The framework's own code is not scanned.
  include: [
    "react",
    "react-dom",
    "react-dom/client",
    "react/jsx-runtime",
    "react/jsx-dev-runtime",
    "holdfast > web-vitals",
  ],
  exclude: ["holdfast"],
  rolldownOptions: { plugins: [passOverBroken()] },
};

/** A file that cannot be compiled would end the whole scan, with a second error beside the one on its page. */
function passOverBroken(): Rolldown.Plugin {
  return {
    name: "holdfast:pass-over-broken",
    load: {
      filter: { id: { include: /\.[jt]sx?$/, exclude: /[\\/]node_modules[\\/]/ } },
      handler: async (id) => {
        const { errors } = parseSync(id, await readFile(id, "utf8"));
        return errors.length > 0 ? "export {}" : undefined;
      },
    },
  };
}
