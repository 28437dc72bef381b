import { digestOf } from "#protocol";
import { shape } from "../../api/schema/schema.ts";
import type { IssueAnswer, IssueHistoryEntry } from "../../queries/issue.ts";
import { lastDays } from "../../queries/period.ts";
import { chooseProject } from "../projects-of-caller.ts";
import { defineTool, issueNumber, paged, type Tool } from "../tool.ts";
import { issueLine, oneLine, section, stateText, timeText } from "./lines.ts";

/** Older changes rarely explain the present state. */
const historyShown = 30;
const daysShown = 14;

export const readIssueTool: Tool = defineTool({
  name: "read_issue",
  title: "Read an issue",
  description:
    "Shows one issue: state, counts for each day, releases, which browsers and routes it concerns, comments and changes, and the commit that probably caused it. For the stack, call read_event with the same issue.",
  needs: "read",
  input: shape({ issue: issueNumber }, paged),
  run: async (context, { issue, project: wanted }) => {
    const chosen = chooseProject(context, wanted, "read");
    if (chosen.kind !== "project") return chosen;
    const found = await context.api.issue(chosen.project, issue, lastDays(daysShown, context.api.now()));
    return found === undefined
      ? { kind: "unknown", what: `issue #${issue}` }
      : { kind: "found", text: writeIssue(found).join("\n") };
  },
});

function writeIssue({ issue, chart, releases, distributions, history, suspect, mentionedIn }: IssueAnswer): string[] {
  const { firstSeen, firstRelease, lastRelease, assignee, lastEventId } = issue;
  return [
    issueLine(issue),
    `state: ${stateText(issue.state)}`,
    ...(assignee === undefined ? [] : [`assigned to: ${oneLine(assignee)}`]),
    `first seen: ${timeText(firstSeen)}${firstRelease === undefined ? "" : ` in ${oneLine(firstRelease)}`}`,
    ...(lastRelease === undefined ? [] : [`last release with it: ${oneLine(lastRelease)}`]),
    `latest event: ${digestOf(lastEventId)}`,
    `events by day, the last ${daysShown} days: ${chart.join(" ")}`,
    ...(suspect === undefined
      ? []
      : [
          `probable cause: commit ${suspect.commit.hash} ${oneLine(suspect.commit.subject)}, which touches ${suspect.file}`,
        ]),
    ...section(
      "releases",
      releases.map(({ release, events }) => `${oneLine(release)}: ${events} events`),
    ),
    ...section(
      "distribution",
      distributions.map(
        ({ key, values }) =>
          `${oneLine(key)}: ${values.map(({ value, share }) => `${oneLine(value)} ${Math.round(share * 100)} %`).join(", ")}`,
      ),
    ),
    ...section("changes and comments", history.slice(-historyShown).map(historyLine)),
    ...section("named in comments on", mentionedIn.map(issueLine)),
  ];
}

function historyLine({ at, by, what }: IssueHistoryEntry): string {
  return `${timeText(at)} ${oneLine(by)}: ${changeText(what)}`;
}

function changeText(what: IssueHistoryEntry["what"]): string {
  switch (what.kind) {
    case "state":
      return `${what.from.kind} → ${what.to.kind}`;
    case "assigned":
      if (what.to === undefined) return "unassigned";
      return `assigned to ${oneLine(what.to)}${what.rule === undefined ? "" : ` by rule ${oneLine(what.rule)}`}`;
    case "comment":
      return `comment: ${oneLine(what.text)}`;
    case "merged":
    case "split":
    case "imported":
      return what.kind;
    case "ticket":
      return what.to === undefined ? "ticket removed" : `ticket: ${oneLine(what.to)}`;
    case "undone":
      return `undid: ${what.what}`;
  }
}
