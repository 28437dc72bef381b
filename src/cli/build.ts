import { parseArgs } from "node:util";
import { buildApplication, writeSizeTable } from "#build";

export const buildCommand = {
  says: "[FOLDER]  builds the application for production",
  run: async (args: readonly string[]): Promise<number> => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    const manifest = await buildApplication({ root: positionals[0] ?? "." });
    console.log(writeSizeTable(manifest));
    return 0;
  },
};
