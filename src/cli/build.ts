import { parseArgs } from "node:util";
import { buildApplication, writeSizeTable } from "#build";
import { readEnvironmentFiles } from "#build/environment-files";
import type { Command } from "./command.ts";
import { prerenderPages } from "./prerender/prerender-pages.ts";
import { refuseWrongLimits } from "./refuse-wrong-limits.ts";

export const buildCommand: Command = {
  usage: "build [FOLDER] [--at PATH] [--out DIR] [--no-browser-reports] [--static]",
  description: "builds the application for production",
  options: {
    "--at PATH": "the path below which the application lives, for one that shares its host",
    "--out DIR": "where the build goes; dist",
    "--static": "also writes a folder that any file server can serve: DIR/site",
    "--no-browser-reports": "its browsers report nothing, and load nothing for it",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        at: { type: "string" },
        out: { type: "string" },
        "no-browser-reports": { type: "boolean" },
        static: { type: "boolean", default: false },
      },
    });
    // Loads the values of the secrets that the build searches for in the browser's files.
    readEnvironmentFiles(positionals[0] ?? ".", "production");
    await refuseWrongLimits(positionals[0] ?? ".");
    const { at, out: outDir } = values;
    const { NODE_ENV: nodeEnv } = process.env;
    const manifest = await buildApplication({
      root: positionals[0] ?? ".",
      ...(at !== undefined && { at }),
      ...(outDir !== undefined && { outDir }),
      ...(values["no-browser-reports"] && { browserReports: false }),
      isStatic: values.static,
      prerender: (build) => prerenderPages(build, { terminal, nodeEnv, isStatic: values.static }),
    });
    terminal.print(writeSizeTable(manifest));
    return 0;
  },
};
