import { parseArgs } from "node:util";
import { generateTypes } from "#build";

export const typesCommand = {
  says: "[FOLDER]  writes the types of the application's routes, for editors and type checks",
  run: async (args: readonly string[]): Promise<number> => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    await generateTypes({ root: positionals[0] ?? "." });
    return 0;
  },
};
