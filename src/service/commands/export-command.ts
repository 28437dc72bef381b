import { messageOf } from "#errors";
import { systemClock } from "../clock.ts";
import { serviceErrors } from "../errors.ts";
import { portableLimitsOf } from "../portable/limits.ts";
import { openExport } from "../portable/open-export.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import {
  dataFolderOf,
  dataOption,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
  wrongUse,
} from "./command.ts";
import { type OpenLines, writeExportFile } from "./portable/export-file.ts";
import { progressNotes } from "./portable/progress-notes.ts";
import { remoteIn, serviceOption } from "./remote/open-remote.ts";

const usage = "export FILE [--project N] [--data FOLDER | --service URL]";

/** Writes a project into a file, whether its service runs or not. */
export const exportCommand: ServiceCommand = {
  usage,
  options: {
    FILE: "lines of JSON, compressed if the name ends with .gz; after an interruption, the same command goes on",
    ...projectOption,
    ...dataOption,
    ...serviceOption,
  },
  description: "writes a project with its issues, events and figures into a file, which holdfast import reads",
  async run(args, { print, warn }) {
    const { options, rest } = readArguments(args, { data: "text", service: "text", project: "text" }, usage);
    const [file] = rest;
    if (file === undefined || rest.length > 1) throw wrongUse("Name one file to write to.", usage);
    const project = projectIn(options, usage);
    const remote = remoteIn(options);
    const from = `project ${project} of ${remote ? String(options.service) : dataFolderOf(options)}`;
    const open: OpenLines = remote
      ? async (after) => remote.exportLines(project, after)
      : await localLines(dataFolderOf(options), project);
    const lines = await writeExportFile(file, open, {
      from,
      onLines: progressNotes(print),
      onRepeat: (error) => warn(`${messageOf(error)} The export goes on.`),
    });
    print(`${lines} lines are in ${file}.`);
    return 0;
  },
};

async function localLines(dataFolder: string, project: number): Promise<OpenLines> {
  const shared = await openSharedState(dataFolder);
  try {
    await shared.ready();
    const found = shared.projects.byId(project);
    if (found === undefined) throw serviceErrors.importNoProject(project);
    const { name } = found;
    const limits = portableLimitsOf(process.env);
    return (after) =>
      openExport({ dataFolder, project: { id: project, name }, after, now: () => systemClock.now(), limits });
  } finally {
    await shared.close();
  }
}
