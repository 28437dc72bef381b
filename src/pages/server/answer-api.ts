import type { ServerResponse } from "node:http";
import { BodyTooLarge, drainBody, NoRoomForBody, noStore, pairsOf, send, withCookies } from "#http";
import * as pageErrors from "../errors.ts";
import { changedHeader } from "../page-data.ts";
import { admit } from "./admit.ts";
import { invalidations } from "./cache/invalidations.ts";
import { inTime } from "./in-time.ts";
import { isA } from "./is-a.ts";
import { leave, leaveWith, ResponseHookFailed } from "./leave.ts";
import { isPreflight, preflightHeaders } from "./other-origins.ts";
import { problemType, writeProblemJson } from "./problems/problem-json.ts";
import { type Problem, problemOf, statusOfProblem } from "./problems/problems.ts";
import { sendRedirectOf } from "./send/send-redirect.ts";
import { contextOf, type Visit } from "./visit.ts";

/**
 * Sends a 404 to a program whose address no route matches. Guards run as for a page, so that a hidden route does not
 * reveal that it exists.
 */
export async function answerNoApi(visit: Visit): Promise<void> {
  const admitted = await admit(visit);
  if (admitted.kind === "answered") return sendResponse(visit, admitted.response);
  return sendProblem(visit, admitted.kind === "ended" ? admitted.problem : { kind: "not-found" });
}

/** Responds for an API route: web `Request` in, web `Response` out, streamed. */
export async function answerApi(visit: Visit): Promise<void> {
  const { incoming } = visit.request;
  if (visit.otherOrigin !== undefined && isPreflight(incoming) && !visit.route.methods.has("OPTIONS"))
    return sendOptions(visit, preflightHeaders(incoming, allowedMethods(visit.route.methods)));
  const admitted = await admit(visit);
  if (admitted.kind === "answered") return sendResponse(visit, admitted.response);
  if (admitted.kind === "ended") return sendProblem(visit, admitted.problem);
  const { methods, bodyBytes = visit.site.limits.bodyBytes } = visit.route;
  const { method } = visit.request;
  const handler = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  if (!handler && visit.route.socket && (method === "GET" || method === "HEAD")) return sendUpgradeRequired(visit);
  if (!handler) return sendNoHandler(visit, allowedMethods(methods));
  if (visit.request.announcedBytes > bodyBytes) return sendStatus(visit, { status: 413 });
  const hasBody = method !== "GET" && method !== "HEAD";
  const room = hasBody ? visit.site.posts.open(incoming) : undefined;
  if (hasBody && room === undefined) return sendNoRoom(visit);
  visit.exchange.response.once("close", () => room?.release());
  try {
    const request = visit.request.toWebRequest(bodyBytes, room);
    const answered: unknown = await inRouteTime(visit, () =>
      visit.signals.step("api", `${method} ${visit.route.id}`, () =>
        handler(request, contextOf(visit, admitted.locals)),
      ),
    );
    // Once more: another request may have rendered a page between the call and the change.
    if (visit.invalidated) invalidations.invalidate(visit.invalidated);
    if (!(answered instanceof Response))
      throw new TypeError(`${method} of ${visit.route.id} returned ${typeof answered} instead of a Response.`);
    await sendResponse(visit, answered);
  } catch (thrown) {
    await sendThrown(visit, thrown);
  }
}

/** A route that declares a time limit has it until it returns its response. Its socket may be idle for as long. */
function inRouteTime(visit: Visit, run: () => unknown): unknown {
  const { timeoutMs, id } = visit.route;
  if (timeoutMs === undefined) return run();
  const late = (): unknown => {
    const error = pageErrors.apiTimedOut(visit.request.method, id ?? visit.request.path, timeoutMs);
    visit.request.abort(error);
    return error;
  };
  return visit.request.undisturbed(inTime(Promise.resolve(run()), timeoutMs, late));
}

/** For a browser that could not open the socket and asks why: a guard has not refused it. */
function sendUpgradeRequired(visit: Visit): Promise<void> {
  const headers = ["Upgrade", "websocket", "Connection", "Upgrade"];
  return sendStatus(visit, { status: 426, detail: "This address takes WebSockets.", headers });
}

function sendNoRoom(visit: Visit): Promise<void> {
  return sendStatus(visit, { status: 503, headers: ["Retry-After", "5"] });
}

async function sendThrown(visit: Visit, thrown: unknown): Promise<void> {
  if (isA(thrown, ResponseHookFailed)) throw thrown;
  const { response } = visit.exchange;
  if (isA(thrown, BodyTooLarge) && !response.headersSent) return sendStatus(visit, { status: 413 });
  if (isA(thrown, NoRoomForBody) && !response.headersSent) return sendNoRoom(visit);
  const problem: Problem = problemOf(visit, thrown, "api", 0);
  // The head was sent with another status; only a broken-off response can show the failure.
  if (response.headersSent) return void response.destroy();
  return sendProblem(visit, problem);
}

function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...new Set([...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
}

async function sendNoHandler(visit: Visit, allow: string): Promise<void> {
  const headers = ["Allow", allow];
  if (visit.request.method === "OPTIONS") return sendOptions(visit, headers);
  return sendStatus(visit, { status: 405, detail: `This address takes ${allow}.`, headers });
}

async function sendOptions(visit: Visit, headers: readonly string[]): Promise<void> {
  await leave(visit, { kind: "api", status: 204, replaceable: "none" });
  const own = [...visit.baseHeaders(), ...visit.headersToSend(), "Content-Length", "0", ...noStore];
  visit.exchange.response.writeHead(204, [...own, ...headers]).end();
}

/** Sends the response of an API route or of the request hook. */
export async function sendResponse(visit: Visit, own: Response): Promise<void> {
  const { response } = visit.exchange;
  const left = await leave(visit, { kind: "api", status: own.status, replaceable: "any", original: own });
  const answered = left.original ?? own;
  const { last } = visit;
  const headers: string[] = [];
  for (const [name, value] of answered.headers)
    if (name !== "set-cookie" && !last?.has(name)) headers.push(name, value);
  // Headers of the route's own response take precedence, except over what a response hook changed.
  for (const [name, value] of pairsOf([...visit.baseHeaders(), ...noStore]))
    if (!answered.headers.has(name) || last?.has(name.toLowerCase())) headers.push(name, value);
  withCookies(headers, answered.headers.getSetCookie());
  headers.push(...changedBy(visit, answered), ...visit.headersToSend());
  response.writeHead(left.status, headers);
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

/** Many proxies refuse a response with more than 4 KiB of headers. Without this one everything counts as changed. */
const changedCharacters = 2_000;

/**
 * What an API route says it has changed, for `revalidate` in the page that called it. As with actions, a failed one may
 * have changed more, and a cookie may change every page.
 */
function changedBy({ invalidated, otherOrigin, request, route }: Visit, { ok, headers }: Response): readonly string[] {
  const mayBeAnything = !ok || request.cookieLines().size > 0 || headers.getSetCookie().length > 0;
  if (!invalidated || mayBeAnything || route.kind !== "api" || otherOrigin !== undefined) return [];
  const text = invalidated.map(encodeURIComponent).join();
  return text.length > changedCharacters ? [] : [changedHeader, text];
}

/** Resolves when the client has read what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once("drain", resolve).once("close", resolve);
  return promise.finally(() => response.off("drain", resolve).off("close", resolve));
}

export async function sendProblem(visit: Visit, problem: Problem): Promise<void> {
  if (problem.kind === "redirect") return sendRedirectOf(visit, problem);
  const status = statusOfProblem(visit, problem);
  return sendStatus(visit, problem.kind === "not-found" ? { status } : { ...problem, status });
}

interface Status {
  status: number;
  detail?: string;
  digest?: string | undefined;
  headers?: readonly string[];
}

/** For programs: the status, and the digest of a failure. */
export async function sendStatus(visit: Visit, { status, detail, digest, headers = [] }: Status): Promise<void> {
  await Promise.all([visit.durable, drainBody(visit.request.incoming)]);
  const replaceable = digest === undefined && status < 500 ? "refusal" : "none";
  const left = await leaveWith(visit, { kind: "api", status, replaceable, isSentAnyway: digest !== undefined });
  await visit.durable;
  const own = [...visit.baseHeaders(), "Content-Type", problemType, ...noStore, ...headers];
  if (digest !== undefined) own.push("X-Digest", digest);
  const body = writeProblemJson(left, detail, digest);
  await send(visit.exchange, { status: left, headers: [...own, ...visit.headersToSend()], body });
}
