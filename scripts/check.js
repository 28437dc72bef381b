import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** Folders with a tsconfig.json of their own; those that are not there are left out. */
const typed = [".", "console", "tour", "create/template"].filter((folder) =>
  existsSync(join(root, folder, "tsconfig.json")),
);

/** Everything that can be said about the code without running it, each by its name. */
export const checks = [
  ...typed.map((folder) => ({
    name: folder === "." ? "types" : `types of ${folder}`,
    run: () => runTool("tsc", ["--noEmit", "-p", folder]),
  })),
  {
    name: "lint and format",
    run: () => runTool("biome", ["ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]),
  },
];
