import { plainLine } from "#errors";
import { titleLine } from "../grouping/title.ts";
import { openReader } from "../open-reader.ts";
import { filterProblems, readFilter } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "issues [FILTER] [--project N] [--limit N] [--data FOLDER] [--json]";

/** One screen. */
const usualLimit = 25;

/** Prints the issues of a project, newest first, whether the service runs or not. */
export const issuesCommand: ServiceCommand = {
  usage,
  options: {
    FILTER: 'as on the console: "is:open release:1.4*"',
    "--project N": "the number of the project; 1",
    "--limit N": `how many are printed; ${usualLimit}`,
    ...dataOption,
    "--json": "for programs",
  },
  description: "prints the list of issues, the newest first",
  async run(args, { print, warn }) {
    const { options, rest } = readArguments(
      args,
      { data: "text", project: "text", limit: "text", json: "switch" },
      usage,
    );
    const project = wholeNumber(options.project, 1, "--project");
    const limit = wholeNumber(options.limit, usualLimit, "--limit");
    const store = await openReader(dataFolderOf(options));
    try {
      const typed = rest.join(" ");
      for (const problem of await filterProblems(typed, (key) => store.hasTag(project, key))) warn(problem);
      const filter = readFilter(typed);
      const { issues, next } = await store.issues({ project, filter, sort: "last-seen", limit });
      if (options.json === true) print(JSON.stringify(issues, undefined, 2));
      else if (issues.length === 0) print("There are no such issues.");
      else for (const issue of issues) print(issueLine(issue));
      // Printed beside the list, which a program may read.
      if (next !== undefined) warn(moreSentence(limit, await store.countIssues(project, filter, countedAtMost)));
      return 0;
    } finally {
      store.close();
    }
  },
};

/** Above this, counting would take longer than listing. */
const countedAtMost = 1_000;

function moreSentence(limit: number, all: number): string {
  const many = all < countedAtMost ? `${all}` : `more than ${countedAtMost}`;
  return `These are the newest ${limit} of ${many}. \`--limit ${limit * 4}\` prints more, a filter fewer.`;
}

function issueLine(issue: IssueRecord): string {
  const title = titleLine(issue.type, issue.title);
  const where = issue.route === undefined ? "" : `  ${issue.route}`;
  return `#${issue.number}  ${issue.state.kind.padEnd(9)}  ${new Date(issue.lastSeen).toISOString()}  ${String(issue.events).padStart(6)}×  ${plainLine(title + where)}`;
}

function wholeNumber(value: string | boolean | undefined, otherwise: number, name: string): number {
  const number = Number(value ?? otherwise);
  if (!Number.isInteger(number) || number < 1)
    throw wrongUse(`${name} must be a whole number from 1 up, got "${value}".`, usage);
  return number;
}
