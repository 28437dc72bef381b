import type { IncomingMessage, ServerResponse } from "node:http";
import { isCrossSite, sendRedirect } from "#http";
import type { RequestFacts, Variant } from "#signals";
import { answerAction } from "./action/answer-action.ts";
import { answerOutcome } from "./action/answer-outcome.ts";
import { answerApi, answerNoApi } from "./answer-api.ts";
import type { LoadedRoute } from "./application.ts";
import { decidePage } from "./decide-page.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { admittedOrigin } from "./other-origins.ts";
import { PageRequest } from "./page-request.ts";
import { wantsProblemJson } from "./problems/problem-json.ts";
import { refuse, sendNotAllowed } from "./problems/refuse.ts";
import { type RequestTarget, readTarget } from "./read-target.ts";
import { hstsFor } from "./send/security-headers.ts";
import { sendBusy } from "./send/send-busy.ts";
import { sendDocument, sendLastResort } from "./send/send-document.ts";
import { sendPageData } from "./send/send-page-data.ts";
import type { Site } from "./site.ts";
import { Visit, type VisitExchange } from "./visit.ts";

/**
 * Handles one request for a page, its data, an action on it, or an API route. Never rejects; always sends a response.
 */
export function handleRequest(incoming: IncomingMessage, response: ServerResponse, site: Site): MaybePromise<void> {
  const target = readTarget(incoming);
  const exchange: VisitExchange = { incoming, response, large: site.large };
  const refused = (status: number, why: string, headers: readonly string[] = []): Promise<void> =>
    refuse(site, exchange, { status, why, headers });
  if (target.kind === "bad") return refused(400, `This address is not understood (${target.why}).`);
  const origin = site.originOf(incoming);
  if (target.kind === "redirect") return sendRedirect(response, target.to, 308, hstsFor(site.policy, origin));
  if (!knownMethods.has(incoming.method ?? ""))
    return refused(405, "This method is not known here.", ["Allow", "GET, HEAD"]);
  const request = new PageRequest(incoming, response, { ...target, origin, visitors: site.visitors });
  if (!isCrossSite(incoming, origin, site.trustedOrigins)) return visitPage(site, request, target, exchange);
  return chain(isLetIn(site, request, target), (isLet) =>
    isLet ? visitPage(site, request, target, exchange) : refused(403, "Another site sent this request."),
  );
}

/** Whether an API route accepts requests from a page of another site. */
function isLetIn(site: Site, { incoming, path, origin }: PageRequest, target: PageTarget): MaybePromise<boolean> {
  if (target.kind !== "page" || target.variant !== "document") return false;
  return chain(site.application.find(path), ({ route }) => admittedOrigin(incoming, route, origin) !== undefined);
}

function visitPage(site: Site, request: PageRequest, target: PageTarget, exchange: VisitExchange): MaybePromise<void> {
  const { response } = exchange;
  return site.signals.request(new IncomingFacts(request.incoming), (signals) => {
    const visit = chain(site.application.find(request.path), (found) => {
      const variant = variantOf(found.route, target);
      signals.matched(found.route.pattern ?? "not-found", found.params, variant, found.route.budget);
      return new Visit({ site, exchange, request, found, variant, signals });
    });
    const answered = chain(visit, (opened) => answer(opened, target));
    return chain(answered, () => {
      // A large response may still be waiting for its client.
      const isAnswered = response.writableEnded || !response.destroyed;
      signals.ended({ status: response.statusCode, kind: isAnswered ? "answered" : "aborted" });
    });
  });
}

class IncomingFacts implements RequestFacts {
  readonly #incoming: IncomingMessage;
  readonly method: string;
  readonly target: string;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.method = incoming.method ?? "GET";
    this.target = incoming.url ?? "/";
  }

  header(name: string): string | undefined {
    return String(this.#incoming.headers[name] ?? "") || undefined;
  }
}

/** Catches every error that was not handled below, and sends the static last-resort page. */
function answer(visit: Visit, target: PageTarget): MaybePromise<void> {
  const lastResort = (thrown: unknown): MaybePromise<void> => answerLastResort(visit, thrown);
  try {
    const answered = answerByKind(visit, target);
    return answered instanceof Promise ? answered.catch(lastResort) : answered;
  } catch (thrown) {
    return lastResort(thrown);
  }
}

function answerByKind(visit: Visit, target: PageTarget): MaybePromise<void> {
  const { site, route, request, exchange } = visit;
  if (route.kind === "api" && target.kind === "page" && target.variant === "document") return answerApi(visit);
  if (target.kind === "action") return answerAction(visit, target);
  if (target.kind === "outcome") return answerOutcome(visit, target);
  if (route.kind === "none" && target.variant === "document" && wantsProblemJson(request.incoming, site.application))
    return answerNoApi(visit);
  if (request.method !== "GET" && request.method !== "HEAD") return sendNotAllowed(site, exchange);
  const page = (): MaybePromise<void> => answerPage(visit, target.variant);
  if (!site.large.isLarge(route)) return page();
  return chain(site.large.inTurn(route, exchange.response, page), (turn) => {
    if (turn === "too late") sendBusy(exchange);
  });
}

function answerPage(visit: Visit, variant: "document" | "data"): MaybePromise<void> {
  return chain(decidePage(visit), ({ decision }) =>
    variant === "data" ? sendPageData(visit, decision) : chain(decision, (decided) => sendDocument(visit, decided)),
  );
}

async function answerLastResort(visit: Visit, thrown: unknown): Promise<void> {
  const digest = visit.errors.record(thrown, "render", { visitorSaw: "last-resort" });
  const { route, params, exchange } = visit;
  if (exchange.response.headersSent) return void exchange.response.destroy();
  await sendLastResort(visit, {
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

type PageTarget = Extract<RequestTarget, { kind: "page" | "action" | "outcome" }>;

function variantOf(route: LoadedRoute, target: PageTarget): Variant {
  if (route.kind === "api") return "api";
  return target.kind === "page" ? target.variant : "action";
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
