import { oneOf, shape, text, whole } from "../../api/schema/schema.ts";
import { lastDays } from "../../queries/period.ts";
import { chooseProject } from "../projects-of-caller.ts";
import { defineTool, paged, type Tool } from "../tool.ts";
import { issueLine } from "./lines.ts";

const filterHelp = [
  "Words and terms, all of which must match: is:open, is:regressed, is:resolved, is:muted, release:1.4*, first-release:,",
  "route:/cart, environment:, level:, type:TypeError, user:, assigned:, any tag as name:value. A minus excludes:",
  "-route:/health. Without a filter: all open and regressed issues.",
].join(" ");

/** An agent reads the first few. More are on the next page. */
const usualLimit = 20;

export const findIssuesTool: Tool = defineTool({
  name: "find_issues",
  title: "Find issues",
  description:
    "Finds issues, which are groups of equal errors, by the console's filter language. Says for each how often it happened, to how many visitors, when last, and where in the code. Use it to see what is broken, or whether an error is known.",
  needs: "read",
  input: shape(
    {},
    {
      filter: text({ max: 1_000, description: filterHelp }),
      sort: oneOf(["stuck", "last-seen", "first-seen", "events", "visitors"], {
        description: "stuck (usual): most visitors who got no further first.",
      }),
      limit: whole({ min: 1, max: 100, description: `How many; ${usualLimit}.` }),
      after: text({ max: 30, description: "Continues a list: the value that it ends with." }),
      ...paged,
    },
  ),
  run: async (context, { filter = "is:unresolved", sort = "stuck", limit = usualLimit, after, project: wanted }) => {
    const chosen = chooseProject(context, wanted, "read");
    if (chosen.kind !== "project") return chosen;
    const { api } = context;
    const { project } = chosen;
    const period = lastDays(1, api.now());
    const [problems, { rows, next }] = await Promise.all([
      api.filterProblems(project, filter),
      api.issues({ project, filter, sort, limit, period, ...(after !== undefined && { after }) }),
    ]);
    const lines = rows.map((row) => `${issueLine(row)}; ${row.eventsInPeriod} events in the last day`);
    const end = next === undefined ? [] : ["", `There are more. Ask again with after: ${next}`];
    const found = lines.length === 0 ? ["No issue matches."] : lines;
    return { kind: "found", text: [...problems.map((one) => `Note: ${one}`), ...found, ...end].join("\n") };
  },
});
