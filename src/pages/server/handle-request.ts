import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestSignals, Variant } from "#signals";
import { constantHeaders } from "../constant-headers.ts";
import { answerApi } from "./answer-api.ts";
import { isCrossSite } from "./cross-site.ts";
import { decidePage } from "./decide-page.ts";
import { ErrorLog } from "./error-log.ts";
import { LateValues } from "./late-values.ts";
import { PageRequest } from "./page-request.ts";
import { drainBody } from "./read-body.ts";
import { readTarget, type Target } from "./read-target.ts";
import { decideAction } from "./run-action.ts";
import { sendRedirect, sendWhole } from "./send.ts";
import { sendDocument, sendLastResort } from "./send-document.ts";
import { sendPageData } from "./send-page-data.ts";
import type { Site } from "./site.ts";
import { lastResortPage } from "./static-pages.ts";
import type { Visit } from "./visit.ts";

/** Answers one request for a page, its data, an action on it, or an API route. Never rejects; always answers. */
export async function handleRequest(incoming: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const target = readTarget(incoming);
  if (target.kind === "bad") return refuse(incoming, response, 400, `This address is not understood (${target.why}).`);
  if (target.kind === "redirect") return sendRedirect(response, target.to, 308);
  if (!knownMethods.has(incoming.method ?? ""))
    return refuse(incoming, response, 405, "This method is not known here.", ["Allow", "GET, HEAD"]);
  const origin = site.originOf(incoming);
  if (isCrossSite(incoming, origin, site.trustedOrigins))
    return refuse(incoming, response, 403, "Another site sent this request.");

  const facts = {
    method: incoming.method ?? "GET",
    target: incoming.url ?? "/",
    header: (name: string) => String(incoming.headers[name] ?? "") || undefined,
  };
  await site.signals.request(facts, async (signals) => {
    const request = new PageRequest(incoming, response, target.path, target.search, origin);
    await answer(await openVisit(site, request, target, signals), target, response);
    signals.ended({ status: response.statusCode, kind: response.writableEnded ? "answered" : "aborted" });
  });
}

/** Chooses by variant. What is thrown past everything below is caught here, and shown by the page that depends on nothing. */
async function answer(visit: Visit, target: PageTarget, response: ServerResponse): Promise<void> {
  try {
    if (visit.route.kind === "api" && target.kind === "page" && target.variant === "document")
      return await answerApi(visit, response);
    if (target.kind === "action") return await answerAction(visit, target, response);
    if (visit.request.method !== "GET" && visit.request.method !== "HEAD")
      return sendNotAllowed(visit.request.incoming, response);
    const { decision } = await decidePage(visit);
    if (target.variant === "data") return await sendPageData(visit, response, decision);
    await sendDocument(visit, response, await decision);
  } catch (thrown) {
    const digest = visit.errors.record(thrown, "render", { visitorSaw: "last-resort" });
    if (response.headersSent) return void response.destroy();
    const { route, params } = visit;
    await sendLastResort(visit, response, {
      kind: "error",
      status: 500,
      side: "server",
      route: route.index,
      params,
      folders: [],
      data: [],
      boundary: -1,
      digest,
    });
  }
}

type PageTarget = Extract<Target, { kind: "page" | "action" }>;

async function answerAction(
  visit: Visit,
  target: Extract<Target, { kind: "action" }>,
  response: ServerResponse,
): Promise<void> {
  const { incoming, method, path, search } = visit.request;
  // Someone reloaded or shared the address that a failed form left in the address bar.
  if (method === "GET" || method === "HEAD") return sendRedirect(response, path + search, 303);
  if (method !== "POST") return sendNotAllowed(incoming, response, "POST");
  const decided = await decideAction(visit, target.action, target.variant);
  await drainBody(incoming);
  if (decided.kind === "refused")
    return refuse(incoming, response, decided.status, `The form was not taken: ${decided.why}.`);
  if (target.variant === "data") return sendPageData(visit, response, decided.decision);
  return sendDocument(visit, response, await decided.decision);
}

async function openVisit(
  site: Site,
  request: PageRequest,
  target: PageTarget,
  signals: RequestSignals,
): Promise<Visit> {
  const found = site.application.find(request.path);
  const { route, params } = found instanceof Promise ? await found : found;
  const variant: Variant = route.kind === "api" ? "api" : target.kind === "action" ? "action" : target.variant;
  signals.matched(route.id ?? "not-found", params, variant);
  const place = () => ({ route: route.id ?? "not-found", params, url: request.path + request.search, variant });
  const errors = new ErrorLog(site.signals, place, (thrown) => request.isParting(thrown));
  const late = new LateValues(request, errors, site.limits);
  return { site, request, route, params, signals, errors, late };
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function sendNotAllowed(
  incoming: IncomingMessage,
  response: ServerResponse,
  allow = "GET, HEAD",
): Promise<void> | void {
  if (incoming.method === "OPTIONS") {
    response.writeHead(204, [...constantHeaders, "Allow", `${allow}, OPTIONS`, "Content-Length", "0"]).end();
    return;
  }
  return refuse(incoming, response, 405, "This address does not take that method.", ["Allow", `${allow}, OPTIONS`]);
}

/** Refused before any code of the application ran. */
async function refuse(
  incoming: IncomingMessage,
  response: ServerResponse,
  status: number,
  why: string,
  more: readonly string[] = [],
): Promise<void> {
  await drainBody(incoming);
  const headers = [
    ...constantHeaders,
    "Content-Type",
    "text/html; charset=utf-8",
    "Cache-Control",
    "private, no-store",
    "Content-Security-Policy",
    "default-src 'none'",
    ...more,
  ];
  await sendWhole(response, incoming, status, headers, lastResortPage(`Refused (${status})`, why, undefined));
}
