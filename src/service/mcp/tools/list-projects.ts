import { roleIn } from "../../accounts/people.ts";
import { visibleProjects } from "../projects-of-caller.ts";
import { defineTool, noInput, type Tool } from "../tool.ts";
import { oneLine } from "./lines.ts";

export const listProjectsTool: Tool = defineTool({
  name: "projects",
  title: "Projects",
  description:
    "Lists the projects that you may read, with their numbers and your role. The other tools take the number.",
  needs: "read",
  input: noInput,
  run: async (context) => {
    const lines = visibleProjects(context).map(
      ({ id, name }) => `${id}: ${oneLine(name)} (${roleIn(context.person, id)})`,
    );
    if (lines.length === 0) return { kind: "unknown", what: "project that this token may read" };
    return { kind: "found", text: lines.join("\n") };
  },
});
