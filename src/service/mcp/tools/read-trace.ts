import { readTraceId } from "#protocol";
import { shape, text } from "../../api/schema/schema.ts";
import type { TraceAnswer } from "../../queries/trace.ts";
import { chooseProject, visibleProjects } from "../projects-of-caller.ts";
import { defineTool, paged, type Tool, type ToolContext, type ToolOutcome } from "../tool.ts";
import { oneLine, section, timeText } from "./lines.ts";

export const readTraceTool: Tool = defineTool({
  name: "read_trace",
  title: "Read a trace",
  description:
    "Shows what happened during one page load, navigation or request, from the click in the browser to the queries of the server: each step with its duration, errors, log lines, and repeated queries. The id of the trace is in read_event.",
  needs: "read",
  input: shape({ trace: text({ min: 1, max: 64, description: "Id of the trace: 32 hexadecimal characters." }) }, paged),
  run: async (context, { trace, project: wanted }) => {
    const chosen = wanted === undefined ? undefined : chooseProject(context, wanted, "read");
    if (chosen !== undefined && chosen.kind !== "project") return chosen;
    const projects = chosen ? [chosen.project] : visibleProjects(context).map(({ id }) => id);
    return findTrace(context, projects, readTraceId(trace));
  },
});

async function findTrace(
  { api }: ToolContext,
  projects: readonly number[],
  traceId: string | undefined,
): Promise<ToolOutcome> {
  for (const project of traceId === undefined ? [] : projects) {
    const found = await api.trace(project, traceId ?? "");
    if (found !== undefined) return { kind: "found", text: writeTrace(found).join("\n") };
  }
  return { kind: "unknown", what: "trace with this id" };
}

export function writeTrace({ traceId, startMs, endMs, lines, errors, logs, repeats, damaged }: TraceAnswer): string[] {
  return [
    `trace ${traceId}, ${timeText(startMs)}, ${milliseconds(endMs - startMs)}`,
    "Each line: start after the beginning, duration, what. * is on the critical path; FAILED says so itself.",
    ...(damaged > 0 ? [`${damaged} parts could not be read.`] : []),
    ...section(
      "steps",
      lines.map(({ span, depth, durationMs, onCriticalPath, isFailed }) => {
        const op = span.op === undefined ? "" : `${oneLine(span.op)} `;
        const marks = `${onCriticalPath ? " *" : ""}${isFailed ? " FAILED" : ""}`;
        const start = milliseconds(span.startMs - startMs);
        return `${"  ".repeat(depth)}+${start} ${milliseconds(durationMs)} ${op}${oneLine(span.name)}${marks}`;
      }),
    ),
    ...section(
      "repeated steps",
      repeats.map(({ places, name, coveredMs, isNPlusOne }) => {
        const note = isNPlusOne ? ", one query per element where one for all would do" : "";
        return `${places.length} × ${oneLine(name)}, ${milliseconds(coveredMs)} together${note}`;
      }),
    ),
    ...section(
      "errors",
      errors.map(
        ({ at, eventId, title }) => `+${milliseconds(at - startMs)} ${oneLine(title ?? "?")} (event ${eventId})`,
      ),
    ),
    ...section(
      "logs",
      logs.map(({ at, level, body }) => `+${milliseconds(at - startMs)} ${level} ${oneLine(body)}`),
    ),
  ];
}

function milliseconds(duration: number): string {
  return `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`;
}
