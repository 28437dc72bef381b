import { shape, text } from "../../api/schema/schema.ts";
import type { ComparedIssue, ComparedRoute, ReleaseComparison } from "../../queries/release-comparison.ts";
import type { ReleaseDetails } from "../../queries/releases.ts";
import { chooseProject } from "../projects-of-caller.ts";
import { defineTool, paged, type Tool, type ToolContext } from "../tool.ts";
import { issueLine, oneLine, section, timeText } from "./lines.ts";

/** Names in an answer about an unknown release. */
const namesShown = 10;

export const releaseChangesTool: Tool = defineTool({
  name: "release_changes",
  title: "What changed in a release",
  description:
    "Compares a release with the one before: its commits, issues that are new, gone or more frequent, and routes that became slower or faster. Without a name, the newest release. Use it to find what a deployment broke.",
  needs: "read",
  input: shape(
    {},
    {
      release: text({ min: 1, max: 250, description: "Name of the release; the newest." }),
      compare_with: text({ min: 1, max: 250, description: "Name of an older release; the one before." }),
      ...paged,
    },
  ),
  run: async (context, { release: named, compare_with: other, project: wanted }) => {
    const chosen = chooseProject(context, wanted, "read");
    if (chosen.kind !== "project") return chosen;
    const { project } = chosen;
    const names = await context.api.releaseNames(project);
    const name = named ?? names[0];
    if (name === undefined) return { kind: "unknown", what: "release yet" };
    const details = await context.api.release(project, name);
    const before = other ?? details?.before;
    if (details === undefined || (other !== undefined && !names.includes(other)))
      return { kind: "found", text: unknown(names) };
    return { kind: "found", text: (await describe(context, { project, details, before })).join("\n") };
  },
});

function unknown(names: readonly string[]): string {
  return `There is no such release. The newest: ${names.slice(0, namesShown).map(oneLine).join(", ")}`;
}

interface Compared {
  project: number;
  details: ReleaseDetails;
  before: string | undefined;
}

async function describe({ api }: ToolContext, { project, details, before }: Compared): Promise<string[]> {
  const { release, commits } = details;
  const names = before === undefined ? undefined : { from: before, to: release.name };
  const comparison = names && (await api.releaseComparison(project, names));
  return [
    `release ${oneLine(release.name)}, first seen ${timeText(release.firstSeen)}, ${release.events} events`,
    before === undefined ? "There is no release before it." : `compared with ${oneLine(before)}`,
    ...commitLines(commits),
    ...(comparison ? comparisonLines(comparison) : []),
  ];
}

function commitLines(commits: ReleaseDetails["commits"]): readonly string[] {
  if (commits.kind === "unknown") return ["Its commits are not known."];
  const heading =
    commits.kind === "since" ? `commits since ${oneLine(commits.release)}` : "newest commits of the build, new or not";
  return section(
    heading,
    commits.commits.map(({ hash, author, subject, files = [] }) => {
      const touched = files.length === 0 ? "" : ` [${files.map(oneLine).join(", ")}]`;
      return `${hash.slice(0, 12)} ${oneLine(subject)} (${oneLine(author)})${touched}`;
    }),
  );
}

function comparisonLines({ newIssues, goneIssues, grownIssues, routes }: ReleaseComparison): readonly string[] {
  return [
    ...section("new issues", newIssues.map(comparedIssue)),
    ...section("more frequent issues", grownIssues.map(comparedIssue)),
    ...section("issues that it no longer has", goneIssues.map(comparedIssue)),
    ...section("routes that became slower or faster", routes.map(comparedRoute)),
  ];
}

function comparedIssue({ issue, before, after }: ComparedIssue): string {
  return `${issueLine(issue)}; events in both releases: ${before} → ${after}`;
}

function comparedRoute({ route, measure, before, after }: ComparedRoute): string {
  return `${oneLine(route)}: ${measure} ${Math.round(before)} → ${Math.round(after)} ms`;
}
