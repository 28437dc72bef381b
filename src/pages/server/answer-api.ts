import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { admit, contextOf, type Decision, problemOf, type Visit } from "./decide-page.ts";

import { sendWhole } from "./send.ts";

/** Answers an API route: web `Request` in, web `Response` out, streamed. */
export async function answerApi(visit: Visit, response: ServerResponse): Promise<void> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return sendEnded(visit, response, admitted.decision);
  const { methods } = visit.route;
  const { method } = visit.request;
  const handler = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  if (!handler) return sendNoHandler(response, method, allowedMethods(methods));
  try {
    const request = visit.request.toWebRequest();
    const answered: unknown = await visit.signals.step("api", `${method} ${visit.route.id}`, () =>
      handler(request, contextOf(visit, admitted.locals)),
    );
    if (!(answered instanceof Response))
      throw new TypeError(`${method} of ${visit.route.id} returned ${typeof answered} instead of a Response.`);
    await sendResponse(visit, response, answered);
  } catch (thrown) {
    if (response.headersSent) {
      visit.errors.record(thrown, "api");
      response.destroy();
      return;
    }
    const problem = problemOf(visit, thrown, "api");
    if (problem.kind === "redirect") return sendEnded(visit, response, problem);
    const status = problem.kind === "not-found" ? 404 : problem.status;
    await sendJson(visit, response, status, problem.kind === "error" ? problem.digest : undefined);
  }
}

function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...new Set([...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
}

function sendNoHandler(response: ServerResponse, method: string, allow: string): void {
  const status = method === "OPTIONS" ? 204 : 405;
  response
    .writeHead(status, [
      ...constantHeaders,
      "Allow",
      allow,
      "Content-Length",
      "0",
      "Cache-Control",
      "private, no-store",
    ])
    .end();
}

async function sendResponse(visit: Visit, response: ServerResponse, answered: Response): Promise<void> {
  const headers = [...constantHeaders];
  for (const [name, value] of answered.headers) if (name !== "set-cookie") headers.push(name, value);
  if (!answered.headers.has("cache-control")) headers.push("Cache-Control", "private, no-store");
  for (const cookie of [...answered.headers.getSetCookie(), ...visit.request.cookiesToSend()])
    headers.push("Set-Cookie", cookie);
  response.writeHead(answered.status, headers);
  if (!answered.body || visit.request.method === "HEAD") {
    await answered.body?.cancel();
    response.end();
    return;
  }
  const reader = answered.body.getReader();
  response.once("close", () => void reader.cancel().catch(() => undefined));
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!response.write(part.value))
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    if (response.destroyed) return;
  }
  response.end();
}

async function sendEnded(visit: Visit, response: ServerResponse, decision: Decision): Promise<void> {
  if (decision.kind === "redirect") {
    response
      .writeHead(decision.status, [
        ...constantHeaders,
        "Location",
        decision.to,
        "Cache-Control",
        "private, no-store",
        "Content-Length",
        "0",
      ])
      .end();
    return;
  }
  await sendJson(
    visit,
    response,
    decision.view.status,
    decision.view.kind === "error" ? decision.view.digest : undefined,
  );
}

async function sendJson(
  visit: Visit,
  response: ServerResponse,
  status: number,
  digest: string | undefined,
): Promise<void> {
  await visit.errors.durable;
  const headers = [...constantHeaders, "Content-Type", "application/json", "Cache-Control", "private, no-store"];
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  await sendWhole(
    response,
    visit.request.incoming,
    status,
    headers,
    JSON.stringify({ status, ...(digest === undefined ? {} : { digest }) }),
  );
}
