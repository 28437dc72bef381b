import { readFile } from "node:fs/promises";
import { type DepOptimizationOptions, parseSync, type Rolldown } from "vite";

/**
 * Vite prepares packages for the browser, and reloads the page when it meets a new one. So it looks through all pages
 * when it starts: the first visit of a page whose package no other page has would lose what was typed.
 */
export const scannedPackages: DepOptimizationOptions = {
  entries: ["src/pages/**/*.{jsx,tsx}", "!**/*.server.*"],
  // The framework's own code is not looked through.
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

/**
 * One file that cannot be compiled would end the whole search, with an error of its own beside the one that its page
 * shows.
 */
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
