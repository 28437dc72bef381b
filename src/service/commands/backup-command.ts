import { join } from "node:path";
import { openSqliteReader } from "../stores/sqlite/open-sqlite-store.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "holdfast backup FILE [--data FOLDER]";

/** Copies everything that is filed, consistently, while the service runs or not. */
export const backupCommand: ServiceCommand = {
  says: "copies the store into a file while the service runs",
  async run(args, print = printLine) {
    const { options, rest } = readArguments(args, { data: "text" }, usage);
    const [file] = rest;
    if (file === undefined) throw wrongUse("There is no name of a file to write to.", usage);
    const store = openSqliteReader({ folder: join(dataFolderOf(options), "store") });
    try {
      store.backup(file);
    } finally {
      store.close();
    }
    print(`Everything that is filed is in ${file}.`);
    return 0;
  },
};
