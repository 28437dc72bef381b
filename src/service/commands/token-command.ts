import { systemClock } from "../clock.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { createUploadToken } from "../uploads/upload-tokens.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "token NAME [--project NUMBER] [--data FOLDER]";

/** Creates a token for uploads of source maps, for set-ups without the console. */
export const tokenCommand: ServiceCommand = {
  usage,
  options: { ...dataOption, "--project NUMBER": "whose source maps it may upload; 1" },
  description: "makes a token for uploads of source maps and prints it",
  async run(args, { print }) {
    const { options, rest } = readArguments(args, { data: "text", project: "text" }, usage);
    const [name = "", ...more] = rest;
    if (name.trim() === "" || more.length > 0) throw wrongUse("A token needs one name.", usage);
    const project = Number(options.project ?? 1);
    const shared = await openSharedState(dataFolderOf(options));
    try {
      await shared.ready();
      await shared.projects.makeFirst();
      const created = await createUploadToken(shared.projects, project, { name: name.trim(), now: systemClock.now() });
      if (created.kind === "refused") throw wrongUse(created.why, usage);
      await shared.audit.add({
        at: systemClock.now(),
        by: "the command line",
        project,
        what: `made the upload token ${name.trim()}`,
      });
      print(created.token);
      return 0;
    } finally {
      await shared.close();
    }
  },
};
