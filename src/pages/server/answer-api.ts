import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { admit } from "./admit.ts";
import { drainBody } from "./body/read-body.ts";
import { isA } from "./is-a.ts";
import { isPreflight, preflightHeaders } from "./other-origins.ts";
import { BodyTooLarge, NoRoomForBody } from "./page-request.ts";
import { problemType, writeProblemJson } from "./problem-json.ts";
import { type Problem, problemOf } from "./problems.ts";
import { sendRedirect, sendWhole } from "./send/send.ts";
import { contextOf, type Visit } from "./visit.ts";

/**
 * Tells a program that nothing answers its address. Guards are asked as they are for a page: what lies behind one is
 * nobody else's business.
 */
export async function answerNoApi(visit: Visit, response: ServerResponse): Promise<void> {
  const admitted = await admit(visit);
  return sendProblem(visit, response, admitted.kind === "ended" ? admitted.problem : { kind: "not-found" });
}

/** Answers an API route: web `Request` in, web `Response` out, streamed. */
export async function answerApi(visit: Visit, response: ServerResponse): Promise<void> {
  const { incoming } = visit.request;
  if (visit.otherOrigin !== undefined && isPreflight(incoming) && !visit.route.methods.has("OPTIONS"))
    return sendOptions(visit, response, preflightHeaders(incoming, allowedMethods(visit.route.methods)));
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return sendProblem(visit, response, admitted.problem);
  const { methods, bodyBytes = visit.site.limits.bodyBytes } = visit.route;
  const { method } = visit.request;
  const handler = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  if (!handler) return sendNoHandler(visit, response, allowedMethods(methods));
  if (visit.request.announcedBytes > bodyBytes) return sendStatus(visit, response, { status: 413 });
  const hasBody = method !== "GET" && method !== "HEAD";
  const room = hasBody ? visit.site.posts.open(incoming) : undefined;
  if (hasBody && room === undefined) return sendNoRoom(visit, response);
  response.once("close", () => room?.giveBack());
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

function sendNoRoom(visit: Visit, response: ServerResponse): Promise<void> {
  return sendStatus(visit, response, { status: 503, headers: ["Retry-After", "5"] });
}

async function sendThrown(visit: Visit, response: ServerResponse, thrown: unknown): Promise<void> {
  if (isA(thrown, BodyTooLarge) && !response.headersSent) return sendStatus(visit, response, { status: 413 });
  if (isA(thrown, NoRoomForBody) && !response.headersSent) return sendNoRoom(visit, response);
  const problem: Problem = problemOf(visit, thrown, "api", 0);
  // The head is sent with another status; only a cut response can show that something broke.
  if (response.headersSent) return void response.destroy();
  return sendProblem(visit, response, problem);
}

function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...new Set([...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
}

async function sendNoHandler(visit: Visit, response: ServerResponse, allow: string): Promise<void> {
  const headers = ["Allow", allow];
  if (visit.request.method === "OPTIONS") return sendOptions(visit, response, headers);
  return sendStatus(visit, response, { status: 405, detail: `This address takes ${allow}.`, headers });
}

function sendOptions(visit: Visit, response: ServerResponse, headers: readonly string[]): void {
  const own = ["Content-Length", "0", "Cache-Control", "private, no-store"];
  response.writeHead(204, [...constantHeaders, ...visit.headersToSend(), ...headers, ...own]).end();
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
  for (const cookie of answered.headers.getSetCookie()) headers.push("Set-Cookie", cookie);
  headers.push(...visit.headersToSend());
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

async function sendProblem(visit: Visit, response: ServerResponse, problem: Problem): Promise<void> {
  if (problem.kind === "redirect") return sendRedirect(response, problem.to, problem.status, visit.headersToSend());
  if (problem.kind === "not-found") return sendStatus(visit, response, { status: 404 });
  return sendStatus(visit, response, problem);
}

interface Told {
  status: number;
  detail?: string;
  digest?: string | undefined;
  headers?: readonly string[];
}

/** For programs: the status, and the digest where something broke. */
async function sendStatus(
  visit: Visit,
  response: ServerResponse,
  { status, detail, digest, headers = [] }: Told,
): Promise<void> {
  await Promise.all([visit.durable, drainBody(visit.request.incoming)]);
  const own = [...constantHeaders, "Content-Type", problemType, "Cache-Control", "private, no-store", ...headers];
  if (digest !== undefined) own.push("X-Digest", digest);
  const text = writeProblemJson(status, detail, digest);
  await sendWhole(response, visit.request.incoming, status, [...own, ...visit.headersToSend()], text);
}
