import { shape, text, whole } from "../../api/schema/schema.ts";
import { chooseProject } from "../projects-of-caller.ts";
import { defineTool, paged, type Tool } from "../tool.ts";
import { oneLine, timeText } from "./lines.ts";

const usualLimit = 50;
const usualMinutes = 60;
const minuteMs = 60_000;

export const findLogsTool: Tool = defineTool({
  name: "find_logs",
  title: "Find log lines",
  description:
    "Finds log lines that the application or its clients have sent, newest first, by words, level and time. Each names its trace, for read_trace.",
  needs: "read",
  input: shape(
    {},
    {
      filter: text({
        max: 1_000,
        description:
          "Words and terms, all of which must match: level:error, environment:, release:, trace:, name:value.",
      }),
      minutes: whole({ min: 1, max: 43_200, description: `How far back; ${usualMinutes}.` }),
      limit: whole({ min: 1, max: 500, description: `How many; ${usualLimit}.` }),
      after: text({ max: 100, description: "Continues a list: the value that it ends with." }),
      ...paged,
    },
  ),
  run: async (context, { filter = "", minutes = usualMinutes, limit = usualLimit, after, project: wanted }) => {
    const chosen = chooseProject(context, wanted, "read");
    if (chosen.kind !== "project") return chosen;
    const now = context.api.now();
    // The clock of a client may be ahead.
    const period = { from: now - minutes * minuteMs, to: now + minuteMs };
    const { lines, next } = await context.api.logs({ project: chosen.project, filter, period, limit, after });
    const written = lines.map(({ at, level, body, traceId }) => {
      const trace = traceId === undefined ? "" : ` (trace ${traceId})`;
      return `${timeText(at)} ${level} ${oneLine(body)}${trace}`;
    });
    const found = written.length === 0 ? ["No line matches."] : written;
    const end = next === undefined ? [] : ["", `There may be more. Ask again with after: ${next}`];
    return { kind: "found", text: [...found, ...end].join("\n") };
  },
});
