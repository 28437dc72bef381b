import { join } from "node:path";
import { openSqliteReader } from "../stores/sqlite/open-sqlite-store.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "holdfast backup NEW-FOLDER [--data FOLDER]";

/** Copies everything that is filed, consistently, while the service runs or not. */
export const backupCommand: ServiceCommand = {
  says: "copies everything that is filed into a new folder, while the service runs or not",
  async run(args, print = printLine) {
    const { options, rest } = readArguments(args, { data: "text" }, usage);
    const [copy] = rest;
    if (copy === undefined) throw wrongUse("There is no name of a folder to write to.", usage);
    const store = openSqliteReader({ folder: join(dataFolderOf(options), "store") });
    try {
      store.backup(copy);
    } finally {
      store.close();
    }
    print(`Everything that is filed is in ${copy}.`);
    return 0;
  },
};
