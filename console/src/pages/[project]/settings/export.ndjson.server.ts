import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { lineStream } from "../../../server/line-stream.ts";
import { visitorNamed } from "../../../server/live-visitors.ts";
import { needs, scopeOf } from "../../../server/scope.ts";

/** Everything of one visitor, as lines of JSON. The address has the visitor's hash, and no identity. */
export async function GET(
  request: Request,
  context: { params: { project: string }; locals: Locals },
): Promise<Response> {
  const scope = scopeOf(context);
  needs(scope, "owner");
  const visitor = visitorNamed(new URL(request.url).searchParams.get("visitor") ?? "") ?? notFound();
  const subject = { kind: "visitor-hash", visitor } as const;
  const lines = await consoleApi().erase.exportVisitor(scope.project.id, subject, scope.person.name);
  return lineStream(lines, "visitor.ndjson");
}
