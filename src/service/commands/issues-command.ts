import { join } from "node:path";
import { titleLine } from "../grouping/title.ts";
import { readFilter } from "../queries/filter-language.ts";
import { openSqliteReader } from "../stores/sqlite/open-sqlite-store.ts";
import type { IssueRecord } from "../stores/store.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage =
  'holdfast issues [FILTER] [--project 1] [--limit 25] [--data FOLDER] [--json], with a filter such as "is:open release:1.4*"';

/** Prints the issues of a project, newest first, whether the service runs or not. */
export const issuesCommand: ServiceCommand = {
  says: "prints the list of issues",
  async run(args, print = printLine) {
    const { options, rest } = readArguments(
      args,
      { data: "text", project: "text", limit: "text", json: "switch" },
      usage,
    );
    const project = wholeNumber(options.project, 1, "--project");
    const limit = wholeNumber(options.limit, 25, "--limit");
    const store = openSqliteReader({ folder: join(dataFolderOf(options), "store") });
    try {
      const { issues } = store.issues({ project, filter: readFilter(rest.join(" ")), sort: "last-seen", limit });
      if (options.json === true) print(JSON.stringify(issues, undefined, 2));
      else if (issues.length === 0) print("There are no such issues.");
      else for (const issue of issues) print(issueLine(issue));
      return 0;
    } finally {
      store.close();
    }
  },
};

function issueLine(issue: IssueRecord): string {
  const title = titleLine(issue.type, issue.title);
  const where = issue.route === undefined ? "" : `  ${issue.route}`;
  return `#${issue.number}  ${issue.state.kind.padEnd(9)}  ${new Date(issue.lastSeen).toISOString()}  ${String(issue.events).padStart(6)}×  ${title}${where}`;
}

function wholeNumber(value: string | boolean | undefined, otherwise: number, name: string): number {
  const number = Number(value ?? otherwise);
  if (!Number.isInteger(number) || number < 1)
    throw wrongUse(`${name} must be a whole number from 1 up, got "${value}".`, usage);
  return number;
}
