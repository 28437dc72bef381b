import { buildPackage } from "../../scripts/build.js";

/**
 * Before tests that use the package as its users do: `dist` is made from what `src` is now, also when Vitest is called
 * by hand.
 */
export default async function withPackageBuilt(): Promise<void> {
  if (!(await buildPackage())) throw new Error("The package does not compile; `npm run check` says where.");
}
