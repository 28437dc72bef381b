import { messageOf } from "#errors";
import { serviceErrors } from "../../errors.ts";
import { openService } from "../../open-service.ts";
import { type CommandOutput, dataFolderOf, type Options } from "../command.ts";
import { remoteIn } from "../remote/open-remote.ts";
import type { ImportTarget } from "./import-file.ts";
import { repeatCalls } from "./repeat-calls.ts";

export interface OpenTarget extends ImportTarget {
  close(): Promise<void>;
}

const by = "the command line";

/** The project of a service that runs elsewhere, or of a data folder whose service does not run. */
export async function openTarget(options: Options, project: number, { warn }: CommandOutput): Promise<OpenTarget> {
  const remote = remoteIn(options);
  const onRepeat = (error: unknown): void => warn(`${messageOf(error)} The import goes on.`);
  if (remote !== undefined)
    return {
      name: `project ${project} of ${String(options.service)}`,
      send: (lines) =>
        repeatCalls(() => remote.call("POST /projects/{project}/import", { params: { project }, body: { lines } }), {
          onRepeat,
        }),
      close: async () => undefined,
    };
  const dataFolder = dataFolderOf(options);
  const service = await openService({ dataFolder });
  if (service.projects.byId(project) === undefined) {
    await service.close();
    throw serviceErrors.importNoProject(project);
  }
  return {
    name: `project ${project} of ${dataFolder}`,
    send: (lines) => repeatCalls(() => service.importLines(project, lines, by), { onRepeat }),
    close: () => service.close(),
  };
}
