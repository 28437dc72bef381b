import type { Locals } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { liveLines, wishIn } from "../../../server/live-lines.ts";
import { liveVisitors } from "../../../server/live-visitors.ts";
import { scopeOf } from "../../../server/scope.ts";

/** What has come in since the page asked last, and who is here now, if something has come. */
export function GET(request: Request, context: { params: { project: string }; locals: Locals }): Response {
  const { project } = scopeOf(context);
  const wish = wishIn(new URL(request.url).searchParams);
  const news = liveLines(project.id, wish);
  const hasCome = news.after !== wish.after;
  return Response.json({ ...news, ...(hasCome && { now: consoleApi().now(), visitors: liveVisitors(project.id) }) });
}
