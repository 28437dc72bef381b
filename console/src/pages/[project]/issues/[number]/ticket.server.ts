import { href } from "holdfast";
import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { needs, scopeOf, wholeNumber } from "../../../../server/scope.ts";

/** Leads to a new ticket in another tool, with the issue filled in. There, a person saves it or not. */
export async function GET(
  request: Request,
  context: { params: { project: string; number: string }; locals: Locals },
): Promise<Response> {
  const scope = scopeOf(context);
  needs(scope, "member");
  const number = wholeNumber(context.params.number) ?? notFound();
  const consoleAddress = new URL(href("/"), request.url).href;
  const address = (await consoleApi().tickets.newTicket(scope.project.id, number, consoleAddress)) ?? notFound();
  return new Response(null, { status: 302, headers: { Location: address, "Cache-Control": "no-store" } });
}
