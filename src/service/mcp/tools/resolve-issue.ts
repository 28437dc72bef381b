import { oneOf, shape, text } from "../../api/schema/schema.ts";
import { defineTool, issueNumber, ofProject, type Tool } from "../tool.ts";
import { changeIssue } from "./change-issue.ts";

export const resolveIssueTool: Tool = defineTool({
  name: "resolve_issue",
  title: "Resolve an issue",
  description:
    "Marks an issue as resolved: now, in the next release, or in a named release. A later event reopens it as a regression. Needs a token with the scope triage.",
  needs: "triage",
  input: shape(
    { issue: issueNumber },
    {
      in: oneOf(["now", "next-release", "release"], { description: "When the fix is there; now." }),
      release: text({ min: 1, max: 250, description: "With in: release, its name." }),
      ...ofProject,
    },
  ),
  run: async (context, { issue, in: when = "now", release, project }) => {
    if (when === "release" && release === undefined) return { kind: "invalid", why: "Name the release." };
    const change =
      when === "release"
        ? ({ kind: "resolve", in: when, release: release ?? "" } as const)
        : ({ kind: "resolve", in: when } as const);
    return changeIssue(context, { issue, project, change, done: `#${issue} is resolved.` });
  },
});
