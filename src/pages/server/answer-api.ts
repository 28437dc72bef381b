import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { admit } from "./admit.ts";
import type { Decision } from "./decision.ts";
import { isA } from "./is-a.ts";
import { BodyTooLarge, NoRoomForBody } from "./page-request.ts";
import { type Problem, problemOf } from "./problems.ts";
import { drainBody } from "./read-body.ts";
import { sendRedirect, sendWhole } from "./send.ts";
import { contextOf, type Visit } from "./visit.ts";

/** Answers an API route: web `Request` in, web `Response` out, streamed. */
export async function answerApi(visit: Visit, response: ServerResponse): Promise<void> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return sendEnded(visit, response, await admitted.show());
  const { methods, bodyBytes = visit.site.limits.bodyBytes } = visit.route;
  const { method } = visit.request;
  const handler = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  if (!handler) return sendNoHandler(visit, response, allowedMethods(methods));
  if (visit.request.announcedBytes > bodyBytes) return sendStatus(visit, response, 413);
  const room = visit.site.posts.open(visit.request.incoming);
  response.once("close", () => room.giveBack());
  try {
    const request = visit.request.toWebRequest(bodyBytes, room);
    const answered: unknown = await visit.signals.step("api", `${method} ${visit.route.id}`, () =>
      handler(request, contextOf(visit, admitted.locals)),
    );
    if (!(answered instanceof Response))
      throw new TypeError(`${method} of ${visit.route.id} returned ${typeof answered} instead of a Response.`);
    await sendResponse(visit, response, answered);
  } catch (thrown) {
    await sendThrown(visit, response, thrown);
  }
}

async function sendThrown(visit: Visit, response: ServerResponse, thrown: unknown): Promise<void> {
  if (isA(thrown, BodyTooLarge) && !response.headersSent) return sendStatus(visit, response, 413);
  if (isA(thrown, NoRoomForBody) && !response.headersSent) {
    response.setHeader("Retry-After", "5");
    return sendStatus(visit, response, 503);
  }
  const problem: Problem = problemOf(visit, thrown, "api", 0);
  // The head is sent with another status; only a cut response can show that something broke.
  if (response.headersSent) return void response.destroy();
  if (problem.kind === "redirect") return sendEnded(visit, response, problem);
  if (problem.kind === "not-found") return sendStatus(visit, response, 404);
  return sendStatus(visit, response, problem.status, problem.digest);
}

function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...new Set([...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
}

function sendNoHandler(visit: Visit, response: ServerResponse, allow: string): void {
  const headers = [...constantHeaders, "Allow", allow, "Content-Length", "0", "Cache-Control", "private, no-store"];
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  response.writeHead(visit.request.method === "OPTIONS" ? 204 : 405, headers).end();
}

/** What the route says itself counts. */
const defaultHeaders = pairs([...constantHeaders, "Cache-Control", "private, no-store"]);

function pairs(flat: readonly string[]): [name: string, value: string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""] as [string, string]] : []));
}

async function sendResponse(visit: Visit, response: ServerResponse, answered: Response): Promise<void> {
  const headers: string[] = [];
  for (const [name, value] of answered.headers) if (name !== "set-cookie") headers.push(name, value);
  for (const [name, value] of defaultHeaders) if (!answered.headers.has(name)) headers.push(name, value);
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
    if (response.destroyed) return;
    if (!response.write(part.value)) await drained(response);
  }
  response.end();
}

/** Until the reader has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once("drain", resolve).once("close", resolve);
  return promise.finally(() => response.off("drain", resolve).off("close", resolve));
}

async function sendEnded(visit: Visit, response: ServerResponse, decision: Decision): Promise<void> {
  if (decision.kind === "redirect")
    return sendRedirect(response, decision.to, decision.status, visit.request.cookiesToSend());
  const { view } = decision;
  return sendStatus(visit, response, view.status, view.kind === "error" ? view.digest : undefined);
}

/** For programs: the status, and the digest where something broke. */
async function sendStatus(visit: Visit, response: ServerResponse, status: number, digest?: string): Promise<void> {
  await Promise.all([visit.durable, drainBody(visit.request.incoming)]);
  const headers = [...constantHeaders, "Content-Type", "application/json", "Cache-Control", "private, no-store"];
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  await sendWhole(response, visit.request.incoming, status, headers, JSON.stringify({ status, digest }));
}
