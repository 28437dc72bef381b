import { existsSync } from "node:fs";
import { readDsn, writeDsn } from "#protocol";
import { lastAddressOf } from "../last-address.ts";
import type { Project } from "../projects.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "dsn [--data FOLDER] [--origin URL] [--new NAME]";

/** Default address of `holdfast service`. */
const defaultAddress = "http://127.0.0.1:4600";

/** Prints the DSNs of the projects. */
export const dsnCommand: ServiceCommand = {
  usage,
  options: {
    ...dataOption,
    "--origin URL": "where clients reach the service; where it was last started",
    "--new NAME": "makes a project of this name and prints its DSN",
  },
  description: "prints the DSN of each project",
  async run(args, { print, warn }) {
    const { options } = readArguments(args, { data: "text", origin: "text", new: "text" }, usage);
    const folder = dataFolderOf(options);
    const known = typeof options.origin === "string" ? options.origin : lastAddressOf(folder);
    const origin = known ?? defaultAddress;
    if (!URL.canParse(origin))
      throw wrongUse(`--origin must be an address such as https://errors.example.org, got "${origin}".`, usage);
    if (typeof options.new === "string" && options.new.trim() === "")
      throw wrongUse("A new project needs a name.", usage);
    const isNew = !existsSync(folder);
    const shared = await openSharedState(folder);
    try {
      await shared.ready();
      const { projects } = shared;
      await projects.makeFirst();
      // Created nevertheless, because applications may need the DSN before the service first starts. The warning makes
      // a mistyped folder visible.
      if (isNew) warn(`There was no folder ${folder}. It has been made, with a first project.`);
      // Projects may be in a database, but the address is only in the folder of each service.
      if (known === undefined)
        warn(
          `No service has listened with the folder ${folder}, so ${origin} is a guess. Name the folder of the service with --data, or its address with --origin.`,
        );
      const shown = typeof options.new === "string" ? [await projects.add(options.new)] : projects.all;
      for (const project of shown)
        print(shown.length === 1 ? dsnOf(project, origin) : `${project.name}: ${dsnOf(project, origin)}`);
      return 0;
    } finally {
      await shared.close();
    }
  },
};

export function dsnOf(project: Project, origin: string): string {
  const url = new URL(origin);
  url.username = project.publicKey;
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${project.id}`;
  const dsn = readDsn(url.href);
  if (dsn === undefined) throw wrongUse(`No DSN can be made for the origin "${origin}".`, usage);
  return writeDsn(dsn);
}
