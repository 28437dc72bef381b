import { shape, text, whole } from "../../api/schema/schema.ts";
import type { LiveRecord } from "../../stores/records.ts";
import { visibleProjects } from "../projects-of-caller.ts";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";
import { timeText } from "./lines.ts";
import { writeTrace } from "./read-trace.ts";

type Segment = Extract<LiveRecord, { kind: "segment" }>;

/** A tool of the running application, in development only: there every request is traced. */
export const lastLoadTool: Tool = defineTool({
  name: "last_load",
  title: "Last load of a page",
  description:
    "Shows the last time that a page of the application that is being developed was loaded: how long it took, each step with its loads and queries, its errors and log lines. Open the page first, or ask for it with curl; it is here about a second later. Without a route, the last load of any page.",
  needs: "read",
  input: shape(
    {},
    {
      route: text({ min: 1, max: 500, description: "As in the list of routes: /orders/[id]." }),
      from: whole({ min: 0, max: 10_000_000 }),
    },
  ),
  run: async (context, { route }) => {
    await context.api.settled();
    for (const { id: project } of visibleProjects(context)) {
      const segment = await lastSegment(context, project, route);
      const trace = segment && (await context.api.trace(project, segment.traceId));
      if (segment !== undefined && trace !== undefined) {
        const took = `${Math.round(segment.durationMs)} ms`;
        const head = `${timeText(segment.at)} ${segment.segment} of ${segment.route}, ${segment.status}, ${took}`;
        return { kind: "found", text: [head, ...writeTrace(trace)].join("\n") };
      }
    }
    const what = route === undefined ? "No page" : `${route} is not among the last requests: no page of this route`;
    return { kind: "done", text: `${what} was loaded lately. Open it, then ask again.` };
  },
});

async function lastSegment(
  { api }: ToolContext,
  project: number,
  route: string | undefined,
): Promise<Segment | undefined> {
  const { records } = await api.live({ project });
  return records.findLast(
    (record): record is Segment =>
      record.kind === "segment" && record.segment !== "task" && (route === undefined || record.route === route),
  );
}
