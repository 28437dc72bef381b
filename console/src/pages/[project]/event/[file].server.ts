import { type Locals, notFound } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";

/**
 * `ID.md` is the event as text, to be pasted to a colleague, into a ticket or to an assistant; `ID.json` is everything that was kept of it. An id or a
 * digest, however it was typed.
 */
export function GET(
  _request: Request,
  context: { params: { project: string; file: string }; locals: Locals },
): Response {
  const { project } = scopeOf(context);
  const [, id = "", form] = /^(.+)\.(md|json)$/.exec(context.params.file) ?? notFound();
  return form === "md" ? asMarkdown(project.id, id) : asJson(project.id, id);
}

function asMarkdown(project: number, id: string): Response {
  const text = openedDesk().eventAsMarkdown(project, id) ?? notFound();
  return new Response(text, { headers: { "Content-Type": "text/markdown; charset=utf-8" } });
}

function asJson(project: number, id: string): Response {
  const { event, digest } = openedDesk().event(project, id) ?? notFound();
  return Response.json({ ...event, digest }, { headers: { "Content-Disposition": "inline" } });
}
