import type { Locals } from "holdfast/server";
import { liveLines, rowNamed } from "../../../server/live-lines.ts";
import { scopeOf } from "../../../server/scope.ts";

/** What has come in since the page asked last. */
export function GET(request: Request, context: { params: { project: string }; locals: Locals }): Response {
  const { project } = scopeOf(context);
  const search = new URL(request.url).searchParams;
  return Response.json(liveLines(project.id, (search.get("q") ?? "").slice(0, 1_000), rowNamed(search.get("after"))));
}
