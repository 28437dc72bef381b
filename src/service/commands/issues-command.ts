import { plainLine } from "#errors";
import type { ApiClient } from "../api/client.ts";
import { titleLine } from "../grouping/title.ts";
import { openReader } from "../open-reader.ts";
import { filterProblems, readFilter } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import {
  type CommandOutput,
  countIn,
  dataFolderOf,
  dataOption,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
} from "./command.ts";
import { remoteIn, serviceOption } from "./remote/open-remote.ts";

const usage = "issues [FILTER] [--project N] [--limit N] [--data FOLDER | --service URL] [--json]";

/** One screen. */
const usualLimit = 25;

/** Prints the issues of a project, newest first, whether the service runs or not. */
export const issuesCommand: ServiceCommand = {
  usage,
  options: {
    FILTER: 'as on the console: "is:open release:1.4*"',
    ...projectOption,
    "--limit N": `how many are printed; ${usualLimit}`,
    ...dataOption,
    ...serviceOption,
    "--json": "for programs",
  },
  description: "prints the list of issues, the newest first",
  async run(args, output) {
    const known = { data: "text", service: "text", project: "text", limit: "text", json: "switch" } as const;
    const { options, rest } = readArguments(args, known, usage);
    const asked = {
      project: projectIn(options, usage),
      limit: countIn(options.limit, usualLimit, "--limit", usage),
      typed: rest.join(" "),
    };
    const remote = remoteIn(options);
    const found = remote
      ? await issuesOfService(remote, asked, output)
      : await issuesInFolder(dataFolderOf(options), asked, output);
    if (options.json === true) output.print(JSON.stringify(found, undefined, 2));
    else if (found.length === 0) output.print("There are no such issues.");
    else for (const issue of found) output.print(issueLine(issue));
    return 0;
  },
};

interface Asked {
  readonly project: number;
  readonly limit: number;
  readonly typed: string;
}

interface ListedIssue extends Pick<IssueRecord, "number" | "title" | "lastSeen" | "events"> {
  readonly type?: string | undefined;
  readonly route?: string | undefined;
  readonly state: Pick<IssueRecord["state"], "kind">;
}

async function issuesInFolder(
  folder: string,
  { project, limit, typed }: Asked,
  { warn }: CommandOutput,
): Promise<readonly ListedIssue[]> {
  const store = await openReader(folder);
  try {
    for (const problem of await filterProblems(typed, (key) => store.hasTag(project, key))) warn(problem);
    const filter = readFilter(typed);
    const { issues, next } = await store.issues({ project, filter, sort: "last-seen", limit });
    // Printed beside the list, which a program may read.
    if (next !== undefined) warn(moreSentence(limit, await store.countIssues(project, filter, countedAtMost)));
    return issues;
  } finally {
    store.close();
  }
}

/** The most of one request. */
const pageLimit = 200;

async function issuesOfService(
  remote: ApiClient,
  { project, limit, typed }: Asked,
  { warn }: CommandOutput,
): Promise<readonly ListedIssue[]> {
  const found: ListedIssue[] = [];
  const query = { q: typed, limit: Math.min(limit, pageLimit) };
  for await (const issue of remote.all("GET /projects/{project}/issues", { params: { project }, query })) {
    if (found.length === limit) {
      warn(`These are the newest ${limit}. \`--limit ${limit * 4}\` prints more, a filter fewer.`);
      break;
    }
    found.push(issue);
  }
  return found;
}

/** Above this, counting would take longer than listing. */
const countedAtMost = 1_000;

function moreSentence(limit: number, all: number): string {
  const many = all < countedAtMost ? `${all}` : `more than ${countedAtMost}`;
  return `These are the newest ${limit} of ${many}. \`--limit ${limit * 4}\` prints more, a filter fewer.`;
}

function issueLine(issue: ListedIssue): string {
  const title = titleLine(issue.type, issue.title);
  const where = issue.route === undefined ? "" : `  ${issue.route}`;
  return `#${issue.number}  ${issue.state.kind.padEnd(9)}  ${new Date(issue.lastSeen).toISOString()}  ${String(issue.events).padStart(6)}×  ${plainLine(title + where)}`;
}
