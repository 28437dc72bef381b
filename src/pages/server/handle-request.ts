import type { IncomingMessage, ServerResponse } from "node:http";
import { constantHeaders, isCrossSite, isForeignSocket, sendRedirect } from "#http";
import { spellAddress } from "#routes";
import type { Variant } from "#signals";
import * as english from "../texts/english.ts";
import { answerAction } from "./action/answer-action.ts";
import { answerOutcome } from "./action/answer-outcome.ts";
import { answerApi, answerNoApi, sendProblem, sendResponse } from "./answer-api.ts";
import { applyRule } from "./answer-rule.ts";
import type { MatchedPath } from "./application.ts";
import type { Locals } from "./author/define.ts";
import { visitScope } from "./author/visit-scope.ts";
import { pageCacheIfLoaded } from "./cache/loaded-cache.ts";
import type { SharedDecision } from "./cache/shared-page.ts";
import { decideAdmission, decidePage } from "./decide-page.ts";
import type { Decision } from "./decision.ts";
import { IncomingFacts } from "./incoming-facts.ts";
import { isA } from "./is-a.ts";
import type { KnownAnswer } from "./known-addresses.ts";
import { keepChosenLanguage } from "./languages/keep-language.ts";
import { redirectToLanguage } from "./languages/redirect-to-language.ts";
import { ResponseHookFailed } from "./leave.ts";
import { answerSocket } from "./live/answer-socket.ts";
import type { Upgrade } from "./live/web-socket.ts";
import type { LoadedRoute } from "./load-route.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { admittedOrigin } from "./other-origins.ts";
import { PageRequest } from "./page-request.ts";
import { findPrerendered, knownPrerendered, sendAdmitted, sendPrerendered } from "./prerender/send-prerendered.ts";
import { wantsProblemJson } from "./problems/problem-json.ts";
import { type Problem, pageProblem, showProblem } from "./problems/problems.ts";
import { type Refusal, refuse, sendNotAllowed } from "./problems/refuse.ts";
import { type PageTarget, readTarget } from "./read-target.ts";
import { hstsFor } from "./send/security-headers.ts";
import { sendDocument, sendLastResort, sendSharedDocument } from "./send/send-document.ts";
import { sendNoPageData, sendPageData } from "./send/send-page-data.ts";
import type { Site } from "./site.ts";
import { Visit, type VisitExchange } from "./visit.ts";
import { discardResponse } from "./web-response.ts";

/**
 * Handles one request for a page, its data, an action on it, or an API route. Never rejects; always sends a response.
 */
export function handleRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  site: Site,
  upgrade?: Upgrade,
): MaybePromise<void> {
  const { trailingSlash = false } = site.application.parts;
  const exchange: VisitExchange = { incoming, response, large: site.large, upgrade };
  const target = readTarget(incoming, trailingSlash);
  const refused = (status: number, why: string, text: Refusal["text"], headers?: readonly string[]): Promise<void> =>
    refuse(site, exchange, { status, why, text, ...(headers && { headers }) });
  if (target.kind === "bad") return refused(400, `This address is not understood (${target.why}).`, "refusedAddress");
  const origin = site.originOf(incoming);
  const moved = (to: string): void =>
    sendRedirect(response, { to, status: 308, headers: [...constantHeaders, ...hstsFor(site.policy, origin)] });
  if (target.kind === "redirect") return moved(target.to);
  if (!knownMethods.has(incoming.method ?? ""))
    return refused(405, "This method is not known here.", "refusedMethod", ["Allow", "GET, HEAD"]);
  const language = site.languages?.read(incoming, target, origin);
  if (language?.kind === "redirect")
    return upgrade ? refused(400, noUpgrade, "refusedMethod") : redirectToLanguage(site, exchange, target, language);
  const path = language?.path ?? target.path;
  const found = site.application.findRule(path);
  const ruled = found && applyRule(site, exchange, { ...target, present: language }, found);
  if (ruled?.kind === "answered") return upgrade ? refused(400, noUpgrade, "refusedMethod") : ruled.by();
  const routePath = ruled?.path ?? path;
  const spelling = trailingSlash ? otherSpelling(target) : undefined;
  if (spelling !== undefined && !upgrade && site.application.hasPage(routePath)) return moved(spelling);
  const { visitors, lang } = site;
  const request = new PageRequest(incoming, response, { ...target, origin, visitors, lang, language });
  if (language?.isChosen) keepChosenLanguage(request);
  const visited: Visited = { request, target, matched: site.application.match(routePath) };
  const isForeign = upgrade ? isForeignSocket : isCrossSite;
  if (!isForeign(incoming, origin, site.trustedOrigins)) return visitPage(site, visited, exchange);
  return chain(isLetIn(site, visited), (isLet) =>
    isLet ? visitPage(site, visited, exchange) : refused(403, english.refusedSite, "refusedSite"),
  );
}

/** The one spelling of a page's address, if it was asked for in another one. */
function otherSpelling({ path, address = path, search }: PageTarget): string | undefined {
  const spelled = spellAddress(path);
  return spelled === address ? undefined : spelled + search;
}

interface Visited {
  request: PageRequest;
  target: PageTarget;
  /** The path whose route answers: the visitor's, or that of a rewrite. */
  matched: MatchedPath;
}

/** Whether an API route accepts requests from a page of another site. */
function isLetIn(site: Site, { request, target, matched }: Visited): MaybePromise<boolean> {
  const { incoming, origin } = request;
  if (target.kind !== "page" || target.variant !== "document") return false;
  return chain(site.application.find(matched), ({ route }) => admittedOrigin(incoming, route, origin) !== undefined);
}

function visitPage(site: Site, visited: Visited, exchange: VisitExchange): MaybePromise<void> {
  const { watch } = site;
  const { route } = visited.matched;
  if (!watch || !route || exchange.upgrade) return visitHere(site, visited, exchange);
  const routed = { ...route, exchange };
  return watch.answer(routed, () =>
    visitHere(site, visited, exchange, (hasFailed) => watch.answered(routed, hasFailed)),
  );
}

function visitHere(
  site: Site,
  { request, target, matched }: Visited,
  exchange: VisitExchange,
  onAnswered?: (hasFailed: boolean) => void,
): MaybePromise<void> {
  const { response } = exchange;
  const made = exchange.upgrade ? undefined : findPrerendered(site, { request, target, path: matched.path });
  if (made && !site.application.parts.request && target.kind === "page") {
    const { variant } = target;
    sendPrerendered(site, made, { request, variant, exchange });
    rememberAnswer(site, { request, target, matched }, (route) =>
      knownPrerendered(site, made, { request, variant, route }),
    );
    return onAnswered?.(false);
  }
  const cache = exchange.upgrade || made ? undefined : pageCacheIfLoaded();
  const hit = cache?.findHit(site, { request, target, matched });
  if (cache && hit) {
    rememberAnswer(site, { request, target, matched }, () => cache.knownHit(site, hit));
    return chain(cache.sendHit(site, hit, exchange), () => onAnswered?.(false));
  }
  return site.signals.request(new IncomingFacts(request.incoming), (signals) => {
    const visit = chain(site.application.find(matched), (found) => {
      const variant = variantOf(found.route, target);
      signals.matched(found.route.pattern ?? "not-found", found.params, variant, found.route.budget);
      const opened = new Visit({ site, exchange, request, found, variant, signals, made });
      if (target.kind === "page" && target.keys) opened.known = { keys: target.keys, changed: [] };
      return opened;
    });
    const answered = chain(visit, (opened) =>
      chain(visitScope.run(opened, answer, opened, target), () => {
        opened.handled();
        onAnswered?.(opened.hasFailed);
      }),
    );
    return chain(answered, () => {
      // A large response may still be waiting for its client.
      const isAnswered = response.writableEnded || !response.destroyed;
      signals.ended({ status: response.statusCode, kind: isAnswered ? "answered" : "aborted" });
    });
  });
}

/** Unless a line of the tables, the language or a cookie of the visitor has a part in the answer. */
function rememberAnswer(
  { known, languages }: Site,
  { request, target, matched }: Visited,
  write: (route: string) => KnownAnswer,
): void {
  const { path, route } = matched;
  const { incoming, origin } = request;
  if (!known || languages || !route || path !== target.path || request.cookiesToSend().length > 0) return;
  if (!known.has(incoming, origin)) known.remember(incoming, origin, write(route.route));
}

/** Catches every error that was not handled below, and sends the static last-resort page. */
function answer(visit: Visit, target: PageTarget): MaybePromise<void> {
  const lastResort = (thrown: unknown): MaybePromise<void> =>
    isA(thrown, ResponseHookFailed)
      ? answerInstead(visit, target, thrown.problem).catch((another: unknown) => answerLastResort(visit, another))
      : answerLastResort(visit, thrown);
  try {
    const answered = answerByKind(visit, target);
    return answered instanceof Promise ? answered.catch(lastResort) : answered;
  } catch (thrown) {
    return lastResort(thrown);
  }
}

function answerByKind(visit: Visit, target: PageTarget): MaybePromise<void> {
  const { site, route, request, exchange } = visit;
  if (exchange.upgrade) return answerUpgrade(visit, target, exchange.upgrade);
  if (route.kind === "api" && target.kind === "page" && target.variant === "document") return answerApi(visit);
  if (target.kind === "action") return answerAction(visit, target);
  if (target.kind === "outcome") return answerOutcome(visit, target);
  if (route.kind === "none" && target.variant === "document" && wantsProblemJson(request.incoming, site.application))
    return answerNoApi(visit);
  if (request.method !== "GET" && request.method !== "HEAD") return sendNotAllowed(site, exchange);
  const page = (): MaybePromise<void> => answerPage(visit, target.variant);
  if (!site.large.isLarge(route)) return page();
  return chain(site.large.inTurn(route, exchange.response, page), (turn) => {
    if (turn === "too late") site.busy(exchange);
  });
}

function answerUpgrade(visit: Visit, target: PageTarget, upgrade: Upgrade): MaybePromise<void> {
  const { site, route, exchange } = visit;
  const isOfRoute = target.kind === "page" && target.variant === "document";
  if (route.socket && isOfRoute) return answerSocket(visit, route.socket, upgrade);
  return refuse(site, exchange, { status: 400, why: noUpgrade, text: "refusedMethod" });
}

function answerPage(visit: Visit, variant: "document" | "data"): MaybePromise<void> {
  const { made } = visit;
  return chain(made ? decideAdmission(visit) : decidePage(visit), (decided) => {
    if (decided.kind === "admitted") return made && sendAdmitted(visit, made, variant);
    if (decided.kind === "page") return sendDecision(visit, variant, decided.decision);
    if (variant === "document") return sendResponse(visit, decided.response);
    discardResponse(decided.response);
    return sendNoPageData(visit);
  });
}

function sendDecision(
  visit: Visit,
  variant: "document" | "data",
  decision: MaybePromise<Decision | SharedDecision>,
): MaybePromise<void> {
  if (variant === "data") return sendPageData(visit, decision);
  return chain(decision, (one) => (one.kind === "shared" ? sendSharedDocument(visit, one) : sendDocument(visit, one)));
}

/** A response hook failed: the visitor sees the error page of the application, a program gets the status. */
async function answerInstead(visit: Visit, target: PageTarget, problem: Problem): Promise<void> {
  const { route, request, site, exchange } = visit;
  const isPage = route.kind === "page" || !wantsProblemJson(request.incoming, site.application);
  if (exchange.upgrade || route.kind === "api" || !isPage || target.kind === "outcome")
    return sendProblem(visit, problem);
  await sendDecision(visit, target.variant, showProblem(visit, request.locals as Locals, pageProblem(visit, problem)));
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

function variantOf(route: LoadedRoute, target: PageTarget): Variant {
  if (route.kind === "api") return "api";
  return target.kind === "page" ? target.variant : "action";
}

const noUpgrade = "This address takes no WebSockets.";

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
