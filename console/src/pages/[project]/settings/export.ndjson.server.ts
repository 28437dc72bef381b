import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
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
  return new Response(streamOf(lines), {
    headers: {
      "Content-Type": "application/x-ndjson; charset=utf-8",
      "Content-Disposition": 'attachment; filename="visitor.ndjson"',
      "Cache-Control": "no-store",
    },
  });
}

/** Reads the next line when the client has taken the one before. */
function streamOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
