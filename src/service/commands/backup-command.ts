import { writeBackup } from "../backup/write-backup.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "backup FILE [--data FOLDER]";

export const backupCommand: ServiceCommand = {
  usage,
  options: dataOption,
  description: "writes everything that is filed, projects and accounts into one file, while the service runs or not",
  async run(args, { print }) {
    const { options, rest } = readArguments(args, { data: "text" }, usage);
    const [file] = rest;
    if (file === undefined) throw wrongUse("There is no name of a file to write to.", usage);
    await writeBackup(dataFolderOf(options), file);
    print(`Everything that is filed is in ${file}.`);
    return 0;
  },
};
