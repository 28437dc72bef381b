import type { Cookies, Locals } from "holdfast/server";
import { consoleApi, type ListedLine } from "holdfast/service";
import { logsQuestion } from "../../../server/logs/logs-question.ts";
import { scopeOf } from "../../../server/scope.ts";
import { searchedTime } from "../../../server/searched-time.ts";

const linesAtOnce = 1_000;

/** The lines of the screen as one JSON object each, newest first. Read as fast as the client takes them. */
export function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals; cookies: Cookies },
): Response {
  const { project } = scopeOf(context);
  const { searchParams } = new URL(request.url);
  const api = consoleApi();
  const { exportedLines } = api.scanLimits;
  const { period } = searchedTime(searchParams, api.now());
  const { cookies } = context;
  const { typed: _, problems: __, ...question } = logsQuestion(project.id, { search: searchParams, period, cookies });
  let after = question.after;
  let written = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const page = await api.logs({ ...question, after, limit: Math.min(linesAtOnce, exportedLines - written) });
      if (page.lines.length > 0) controller.enqueue(Buffer.from(page.lines.map(asJson).join("")));
      written += page.lines.length;
      after = page.next;
      if (after === undefined || written >= exportedLines) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "application/x-ndjson; charset=utf-8",
      "Content-Disposition": `attachment; filename="logs-${project.id}.ndjson"`,
    },
  });
}

function asJson({ at, level, body, traceId, spanId, attributes }: ListedLine): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), level, body, traceId, spanId, attributes })}\n`;
}
