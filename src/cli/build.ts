import { parseArgs } from "node:util";
import { buildApplication, writeSizeTable } from "#build";
import { readEnvironmentFile } from "./serving.ts";

export const buildCommand = {
  says: "[FOLDER] [--at PATH] [--out DIR] [--no-browser-reports]  builds the application for production",
  run: async (args: readonly string[]): Promise<number> => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { at: { type: "string" }, out: { type: "string" }, "no-browser-reports": { type: "boolean" } },
    });
    // So that the search for secrets in the browser's files knows their values.
    readEnvironmentFile(positionals[0] ?? ".");
    const { at, out: outDir } = values;
    const manifest = await buildApplication({
      root: positionals[0] ?? ".",
      ...(at !== undefined && { at }),
      ...(outDir !== undefined && { outDir }),
      ...(values["no-browser-reports"] && { browserReports: false }),
    });
    console.log(writeSizeTable(manifest));
    return 0;
  },
};
