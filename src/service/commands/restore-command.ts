import { restoreBackup } from "../backup/restore-backup.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "holdfast restore FILE --data NEW-FOLDER";

export const restoreCommand: ServiceCommand = {
  says: "makes a new data folder of a backup",
  async run(args, print = printLine) {
    const { options, rest } = readArguments(args, { data: "text" }, usage);
    const [file] = rest;
    if (file === undefined) throw wrongUse("There is no name of a backup.", usage);
    const folder = dataFolderOf(options);
    restoreBackup(file, folder);
    print(`${folder} has everything of ${file}.`);
    return 0;
  },
};
