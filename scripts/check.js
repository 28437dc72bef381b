import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./build.js";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** Applications with their own tsconfig.json; missing ones are skipped. */
const applications = ["console", "tour", "create/template"].filter((folder) =>
  existsSync(join(root, folder, "tsconfig.json")),
);

/** All static checks, by name. */
export const checks = [
  { name: "types", run: () => runTool("tsc", ["--noEmit", "-p", "."]) },
  ...applications.map((folder) => ({ name: `types of ${folder}`, run: () => checkApplication(folder) })),
  {
    name: "lint and format",
    run: () => runTool("biome", ["ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]),
  },
];

/**
 * Generates the types of the routes with the command that a developer would use.
 * @param {string} folder
 */
async function checkApplication(folder) {
  if (!(await buildPackage())) return 1;
  const place = folder === "console" ? ["--at", "/_holdfast"] : [];
  return (await runTool("holdfast", ["types", folder, ...place])) || (await runTool("tsc", ["--noEmit", "-p", folder]));
}
