import type { Cookies, Locals } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { lineStream } from "../../../server/line-stream.ts";
import { logsQuestion } from "../../../server/logs/logs-question.ts";
import { scopeOf } from "../../../server/scope.ts";
import { searchedTime } from "../../../server/searched-time.ts";

/** The lines of the screen as one JSON object each, newest first. */
export async function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals; cookies: Cookies },
): Promise<Response> {
  const { project } = scopeOf(context);
  const { searchParams } = new URL(request.url);
  const api = consoleApi();
  const { period } = searchedTime(searchParams, api.now());
  const { cookies } = context;
  const { typed: _, problems: __, ...question } = logsQuestion(project.id, { search: searchParams, period, cookies });
  return lineStream(await api.exportLogs(question), `logs-${project.id}.ndjson`);
}
