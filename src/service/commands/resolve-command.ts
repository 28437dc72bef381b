import type { NumberedChange } from "../console-api/console-api.ts";
import { openReader } from "../open-reader.ts";
import { openService } from "../open-service.ts";
import { issueIdOf } from "../queries/issue.ts";
import {
  dataFolderOf,
  dataOption,
  type Options,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
  wrongUse,
} from "./command.ts";
import { remoteIn, serviceOption } from "./remote/open-remote.ts";

const usage = "resolve NUMBER… [--in next|RELEASE] [--project N] [--data FOLDER | --service URL] [--json]";

/** As many as the list of issues shows at once. */
const mostNumbers = 100;

type Resolution = Extract<NumberedChange, { kind: "resolve" }>;

/** Resolves issues: by the API, or in a data folder whose service does not run. */
export const resolveCommand: ServiceCommand = {
  usage,
  options: {
    "NUMBER…": "numbers of issues, with or without #",
    "--in WHEN": "`next` for the next release, or the name of a release; without it, now",
    ...projectOption,
    ...dataOption,
    ...serviceOption,
    "--json": "for programs",
  },
  description: "resolves issues by their numbers",
  async run(args, { print }) {
    const known = { data: "text", service: "text", project: "text", in: "text", json: "switch" } as const;
    const { options, rest } = readArguments(args, known, usage);
    const numbers = numbersIn(rest);
    const project = projectIn(options, usage);
    const resolution = resolutionIn(options);
    const remote = remoteIn(options);
    const changed = remote
      ? (
          await remote.call("POST /projects/{project}/issues/changes", {
            params: { project },
            body: { numbers, change: resolution },
          })
        ).changed
      : await resolveInFolder(dataFolderOf(options), project, numbers, resolution);
    if (options.json === true) print(JSON.stringify({ changed }));
    else print(changed === 1 ? "1 issue is resolved." : `${changed} issues are resolved.`);
    return changed === numbers.length ? 0 : 1;
  },
};

function numbersIn(words: readonly string[]): readonly number[] {
  const numbers = words.map((word) => Number(word.replace(/^#/, "")));
  const wrong = words.find((_, n) => !Number.isSafeInteger(numbers[n]) || (numbers[n] ?? 0) < 1);
  if (wrong !== undefined) throw wrongUse(`"${wrong}" is no number of an issue.`, usage);
  if (numbers.length === 0) throw wrongUse("Name at least one issue by its number.", usage);
  if (numbers.length > mostNumbers) throw wrongUse(`At most ${mostNumbers} issues at once.`, usage);
  return [...new Set(numbers)];
}

function resolutionIn({ in: when }: Options): Resolution {
  if (typeof when !== "string") return { kind: "resolve", in: "now" };
  return when === "next" ? { kind: "resolve", in: "next-release" } : { kind: "resolve", in: "release", release: when };
}

/** A running service has the folder locked, and the error says so. */
async function resolveInFolder(
  dataFolder: string,
  project: number,
  numbers: readonly number[],
  resolution: Resolution,
): Promise<number> {
  const service = await openService({ dataFolder });
  try {
    const store = await openReader(dataFolder);
    try {
      const ids = await Promise.all(numbers.map((number) => issueIdOf(store, project, number)));
      const found = ids.filter((id) => id !== undefined);
      return found.length === 0 ? 0 : (await service.change(project, found, resolution, "the command line")).length;
    } finally {
      store.close();
    }
  } finally {
    await service.close();
  }
}
