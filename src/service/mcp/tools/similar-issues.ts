import { shape } from "../../api/schema/schema.ts";
import { chooseProject } from "../projects-of-caller.ts";
import { defineTool, issueNumber, paged, type Tool } from "../tool.ts";
import { issueLine } from "./lines.ts";

export const similarIssuesTool: Tool = defineTool({
  name: "similar_issues",
  title: "Similar issues",
  description:
    "Finds issues like one: errors of the same type in the same file, perhaps the same mistake in another place, or resolved before.",
  needs: "read",
  input: shape({ issue: issueNumber }, paged),
  run: async (context, { issue, project: wanted }) => {
    const chosen = chooseProject(context, wanted, "read");
    if (chosen.kind !== "project") return chosen;
    const found = await context.api.mergeTargets({ project: chosen.project, numbers: [issue], typed: "" });
    if (found.chosen.length === 0) return { kind: "unknown", what: `issue #${issue}` };
    if (found.targets.length === 0) return { kind: "done", text: `No issue is like #${issue}.` };
    return { kind: "found", text: found.targets.map(issueLine).join("\n") };
  },
});
