import { parseArgs } from "node:util";
import { generateTypes } from "#build";
import type { Command } from "./command.ts";

export const typesCommand: Command = {
  usage: "types [FOLDER] [--at PATH]",
  description: "writes the types of the application's routes, for editors and type checks",
  options: { "--at PATH": "the path below which the application lives" },
  run: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { at: { type: "string" } },
    });
    await generateTypes({ root: positionals[0] ?? ".", ...(values.at !== undefined && { at: values.at }) });
    return 0;
  },
};
