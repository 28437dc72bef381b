import type { Locals } from "holdfast/server";
import { consoleApi, lastDays } from "holdfast/service";
import { askedFor } from "../../../server/asked-issues.ts";
import { rowNamed } from "../../../server/live-lines.ts";
import { scopeOf } from "../../../server/scope.ts";

/** Number of new events in the issues of a list since it was shown. */
export async function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals },
): Promise<Response> {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const search = new URL(request.url).searchParams;
  const after = rowNamed(search.get("after"));
  const { records } = await api.live({ project: project.id, after });
  const came = records.filter((record) => record.kind === "event");
  if (came.length === 0) return Response.json({ events: 0, issues: 0 });
  const { filter } = askedFor(search);
  const { rows } = await api.issues({ project: project.id, filter, limit: 200, period: lastDays(1, api.now()) });
  const listed = new Set(rows.map(({ id }) => id));
  const here = came.filter(({ issue }) => listed.has(issue));
  return Response.json({ events: here.length, issues: new Set(here.map(({ issue }) => issue)).size });
}
