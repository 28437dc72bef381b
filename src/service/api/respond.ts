import { createHash } from "node:crypto";
import { matchesEntityTag } from "#http";
import { apiErrors } from "./errors.ts";
import { type ApiProblem, writeProblem } from "./problem.ts";
import type { AnyRoute, ApiOutcome } from "./route.ts";
import { writeBody } from "./schema/write.ts";

/** Responses are for one caller alone, and never shown as a page. */
const constantHeaders = {
  "Cache-Control": "private, no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "Referrer-Policy": "no-referrer",
};

/** A refusal is written down before it is answered. */
type AnsweredOutcome = Exclude<ApiOutcome<unknown>, { kind: "forbidden" }>;

export function respond(request: Request, route: AnyRoute, outcome: AnsweredOutcome): Response {
  switch (outcome.kind) {
    case "ok":
      return content(request, writeBody(route.response ?? {}, outcome.body), "application/json");
    case "created":
      return new Response(writeBody(route.response ?? {}, outcome.body), {
        status: 201,
        headers: { ...constantHeaders, "Content-Type": "application/json" },
      });
    case "done":
      return new Response(null, { status: 204, headers: constantHeaders });
    case "markdown":
      return content(request, outcome.text, "text/markdown; charset=utf-8");
    case "file":
      return new Response(request.method === "HEAD" ? null : Buffer.from(outcome.bytes), {
        headers: {
          ...constantHeaders,
          "Content-Type": "application/octet-stream",
          "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(outcome.filename.toWellFormed())}`,
        },
      });
    case "lines":
      return new Response(request.method === "HEAD" ? null : streamOf(outcome.lines), {
        headers: {
          ...constantHeaders,
          "Content-Type": "application/x-ndjson",
          "Content-Disposition": `attachment; filename="${outcome.filename}"`,
        },
      });
    case "unknown":
      return respondWithProblem({ status: 404, error: apiErrors.unknown(outcome.what) });
    case "invalid": {
      const { path, why } = outcome;
      const status = path.startsWith("/") ? 422 : 400;
      return respondWithProblem({ status, error: apiErrors.invalid(path, why), path });
    }
    case "conflict":
      return respondWithProblem({ status: 409, error: apiErrors.conflict(outcome.why) });
  }
}

/** Reads a line when the client has taken the one before, and stops with it. */
function streamOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

export function respondWithProblem(problem: ApiProblem): Response {
  const { status, retryAfterSeconds, headers } = problem;
  return new Response(JSON.stringify(writeProblem(problem)), {
    status,
    headers: {
      ...constantHeaders,
      "Content-Type": "application/problem+json",
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
      ...headers,
    },
  });
}

/** A client that has the same content gets none. */
function content(request: Request, body: string, type: string): Response {
  const tag = `"${createHash("sha256").update(type).update(body).digest("base64url").slice(0, 27)}"`;
  // Weak: the same content may be compressed in different ways.
  const headers = { ...constantHeaders, ETag: `W/${tag}`, Vary: "Accept" };
  if (matchesEntityTag(request.headers.get("if-none-match") ?? undefined, [tag]))
    return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : body, { headers: { ...headers, "Content-Type": type } });
}
