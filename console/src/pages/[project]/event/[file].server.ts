import { href } from "holdfast";
import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";

/**
 * `ID.md` is the event as text, for a colleague, a ticket or an assistant. `ID.json` is everything stored of it, in its
 * public form. Accepts an id, or a digest in any spelling.
 */
export async function GET(
  request: Request,
  context: { params: { project: string; file: string }; locals: Locals },
): Promise<Response> {
  const { project } = scopeOf(context);
  const [, id = "", form] = /^(.+)\.(md|json)$/.exec(context.params.file) ?? notFound();
  const consoleAddress = new URL(href("/"), request.url).href;
  return form === "md" ? asMarkdown(project.id, id, consoleAddress) : asJson(project.id, id, consoleAddress);
}

async function asMarkdown(project: number, id: string, consoleAddress: string): Promise<Response> {
  const text = (await consoleApi().eventAsMarkdown(project, id, consoleAddress)) ?? notFound();
  return new Response(text, { headers: { "Content-Type": "text/markdown; charset=utf-8" } });
}

async function asJson(project: number, id: string, consoleAddress: string): Promise<Response> {
  const event = (await consoleApi().publicEvent(project, id, consoleAddress)) ?? notFound();
  return Response.json(event, { headers: { "Content-Disposition": "inline" } });
}
