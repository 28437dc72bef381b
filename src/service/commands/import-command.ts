import { portableLimitsOf } from "../portable/limits.ts";
import {
  type CommandOutput,
  dataOption,
  type Options,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
  wrongUse,
} from "./command.ts";
import { type ImportTotals, importFile } from "./portable/import-file.ts";
import { importSentry } from "./portable/import-sentry.ts";
import { openTarget } from "./portable/open-target.ts";
import { progressNotes } from "./portable/progress-notes.ts";
import { serviceOption } from "./remote/open-remote.ts";

const usage =
  "import FILE [--skip-wrong] | sentry --from URL --org NAME --source-project NAME [--token-env NAME] [--events N] [--progress FILE] [--project N] [--data FOLDER | --service URL]";

/** Reads a project into another one: a file of `holdfast export`, or what the API of a Sentry server has. */
export const importCommand: ServiceCommand = {
  usage,
  options: {
    FILE: "a file that holdfast export has written; after an interruption, the same command goes on",
    "--skip-wrong": "leaves out lines that cannot be read, and names them; without it, the import stops there",
    sentry: "in place of a file: reads issues and events from the API of Sentry or a server like it",
    "--from URL": "of that server, for example https://sentry.example",
    "--org NAME": "its organisation",
    "--source-project NAME": "its project",
    "--token-env NAME": "the environment variable with its token; SENTRY_TOKEN",
    "--events N": "newest events of each issue; 20",
    "--progress FILE": "notes how far it has come; sentry-ORG-PROJECT.progress",
    ...projectOption,
    ...dataOption,
    ...serviceOption,
  },
  description: "reads a project of another service, or of Sentry, into a project of this one",
  async run(args, output) {
    const { options, rest } = readArguments(
      args,
      {
        data: "text",
        service: "text",
        project: "text",
        from: "text",
        org: "text",
        "source-project": "text",
        "token-env": "text",
        events: "text",
        progress: "text",
        "skip-wrong": "switch",
      },
      usage,
    );
    const [file] = rest;
    if (file === undefined || rest.length > 1) throw wrongUse("Name one file to read, or sentry.", usage);
    const project = projectIn(options, usage);
    const isSentry = file === "sentry" && options.from !== undefined;
    const target = await openTarget(options, project, output);
    try {
      const totals = isSentry
        ? await importSentry({ options, target, output, usage })
        : await importFile(file, target, fileOptions(options, output));
      output.print(wordsFor(totals));
      return totals.wrong === 0 ? 0 : 1;
    } finally {
      await target.close();
    }
  },
};

function fileOptions(options: Options, { print, warn }: CommandOutput): Parameters<typeof importFile>[2] {
  return {
    limits: portableLimitsOf(process.env),
    onWrong:
      options["skip-wrong"] === true
        ? (line, why) => warn(`Line ${line} is left out: ${why.replace(/\.$/, "")}.`)
        : undefined,
    onLines: progressNotes(print),
  };
}

function wordsFor({ taken, present, unknown, wrong }: ImportTotals): string {
  const parts = [`${taken} lines are imported`];
  if (present > 0) parts.push(`${present} were there already`);
  if (unknown > 0) parts.push(`${unknown} are about issues that are not there`);
  if (wrong > 0) parts.push(`${wrong} could not be read`);
  return `${parts.join(", ")}.`;
}
