import type { Cookies, Locals } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { liveLines, wishIn } from "../../../server/live-lines.ts";
import { liveVisitors } from "../../../server/live-visitors.ts";
import { scopeOf } from "../../../server/scope.ts";

/** Records since the last request, and the recent visitors if there are any records. */
export async function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals; cookies: Cookies },
): Promise<Response> {
  const { project } = scopeOf(context);
  const wish = wishIn(new URL(request.url).searchParams, context.cookies);
  const news = await liveLines(project.id, wish);
  if (news.after === wish.after) return Response.json(news);
  return Response.json({ ...news, now: consoleApi().now(), visitors: await liveVisitors(project.id) });
}
