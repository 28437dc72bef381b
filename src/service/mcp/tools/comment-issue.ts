import { shape, text } from "../../api/schema/schema.ts";
import { defineTool, issueNumber, ofProject, type Tool } from "../tool.ts";
import { changeIssue } from "./change-issue.ts";

export const commentIssueTool: Tool = defineTool({
  name: "comment_issue",
  title: "Comment on an issue",
  description:
    "Writes a comment on an issue, for the people who work on it: what you found, what you changed. #12 names another issue. Needs a token with the scope triage.",
  needs: "triage",
  input: shape({ issue: issueNumber, text: text({ min: 1, max: 10_000, description: "The comment." }) }, ofProject),
  run: async (context, { issue, text: comment, project }) => {
    if (comment.trim() === "") return { kind: "invalid", why: "The comment is empty." };
    const change = { kind: "comment", text: comment.trim() } as const;
    return changeIssue(context, { issue, project, change, done: `The comment is on #${issue}.` });
  },
});
