import { restoreBackup } from "../backup/restore-backup.ts";
import { dataFolderOf, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "restore FILE --data NEW-FOLDER";

export const restoreCommand: ServiceCommand = {
  usage,
  options: { "--data NEW-FOLDER": "must not be there yet" },
  description: "makes a new data folder of a backup",
  async run(args, { print }) {
    const { options, rest } = readArguments(args, { data: "text" }, usage);
    const [file] = rest;
    if (file === undefined) throw wrongUse("There is no name of a backup.", usage);
    const folder = dataFolderOf(options);
    await restoreBackup(file, folder);
    print(`${folder} has everything of ${file}.`);
    return 0;
  },
};
