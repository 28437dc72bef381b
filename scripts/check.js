import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./build.js";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** Applications with a tsconfig.json of their own; those that are not there are left out. */
const applications = ["console", "tour", "create/template"].filter((folder) =>
  existsSync(join(root, folder, "tsconfig.json")),
);

/** Everything that can be said about the code without running it, each by its name. */
export const checks = [
  { name: "types", run: () => runTool("tsc", ["--noEmit", "-p", "."]) },
  ...applications.map((folder) => ({ name: `types of ${folder}`, run: () => checkApplication(folder) })),
  {
    name: "lint and format",
    run: () => runTool("biome", ["ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]),
  },
];

/**
 * The types of its routes are generated, by the command that its author would use.
 * @param {string} folder
 */
async function checkApplication(folder) {
  if (!(await buildPackage())) return 1;
  const place = folder === "console" ? ["--at", "/_holdfast"] : [];
  return (await runTool("holdfast", ["types", folder, ...place])) || (await runTool("tsc", ["--noEmit", "-p", folder]));
}
