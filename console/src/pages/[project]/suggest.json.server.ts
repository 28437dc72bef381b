import type { Locals } from "holdfast/server";
import { scopeOf } from "../../server/scope.ts";
import { suggestionsFor } from "../../server/suggestions.ts";

/** Suggestions of the search box. */
export async function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals },
): Promise<Response> {
  const typed = (new URL(request.url).searchParams.get("q") ?? "").slice(0, 1_000);
  return Response.json(await suggestionsFor(scopeOf(context), typed));
}
