import { type Locals, notFound } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../../../server/scope.ts";

/** The event as text, to be pasted to a colleague, into a ticket or to an assistant. */
export function GET(_request: Request, context: { params: { project: string; id: string }; locals: Locals }): Response {
  const { project } = scopeOf(context);
  const text = openedDesk().eventAsMarkdown(project.id, context.params.id);
  if (text === undefined) notFound();
  return new Response(text, { headers: { "Content-Type": "text/markdown; charset=utf-8" } });
}
