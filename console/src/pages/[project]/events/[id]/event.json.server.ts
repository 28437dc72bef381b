import { type Locals, notFound } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../../../server/scope.ts";

/** Everything that was kept of the event, as the service has read it. */
export function GET(_request: Request, context: { params: { project: string; id: string }; locals: Locals }): Response {
  const { project } = scopeOf(context);
  const found = openedDesk().event(project.id, context.params.id);
  if (!found) notFound();
  const { event, digest } = found;
  return Response.json(
    { ...event, digest },
    { headers: { "Content-Disposition": "inline", "X-Content-Type-Options": "nosniff" } },
  );
}
