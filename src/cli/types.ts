import { parseArgs } from "node:util";
import { generateTypes } from "#build";

export const typesCommand = {
  says: "[FOLDER] [--at PATH]  writes the types of the application's routes, for editors and type checks",
  run: async (args: readonly string[]): Promise<number> => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { at: { type: "string" } },
    });
    await generateTypes({ root: positionals[0] ?? ".", ...(values.at !== undefined && { at: values.at }) });
    return 0;
  },
};
