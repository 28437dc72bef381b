import { buildPackage } from "../../scripts/build.js";

/**
 * Runs before tests that use the package as its users do: builds `dist` from the current `src`, also when Vitest is
 * called by hand.
 */
export default async function withPackageBuilt(): Promise<void> {
  if (!(await buildPackage())) throw new Error("The package does not compile; `npm run check` says where.");
}
