import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Locals } from "../author/define.ts";
import { visitScope } from "../author/visit-scope.ts";
import { decideWithoutRequest } from "../decide-page.ts";
import type { Decision } from "../decision.ts";
import type { PageTarget } from "../read-target.ts";
import { renderDocument } from "../render-document.ts";
import { withPolicy } from "../send/document-policy.ts";
import { type ShownView, wholeDocumentOf } from "../send/send-document.ts";
import { writeDataForEveryone } from "../send/send-page-data.ts";
import { hashPolicyOf } from "../send/site-policy.ts";
import type { Site } from "../site.ts";
import { Visit } from "../visit.ts";
import type { PlannedPage } from "./plan-pages.ts";
import { PrerenderRequest, RefusedReads } from "./prerender-request.ts";

/** A page as the build writes it. */
export interface MadePage {
  kind: "made";
  html: string;
  /** The lines of its page data. */
  data: string;
  /** Hashes of its scripts. */
  scripts: string;
  /** Its Content Security Policy, for a document without headers. */
  policy: string;
  cache: string | undefined;
}

/** Why a page cannot be made. */
export type UnmadePage =
  /** Code of the application failed. `digest`: of the event. */
  | { kind: "failed"; error: unknown; digest: string | undefined }
  /** It read something that only a request has. */
  | { kind: "refused"; error: Error }
  /** It is no page that everyone may see. */
  | { kind: "other"; why: string };

/** Calls the page's loads and renders it, as for a visitor about whom nothing is known. */
export async function makePage(site: Site, page: PlannedPage): Promise<MadePage | UnmadePage> {
  // A server loads it in parts, which is faster; see `scripts/bundle-start.js`.
  const http = await import("node:http");
  const { host } = URL.canParse(page.origin) ? new URL(page.origin) : { host: "localhost" };
  const incoming = Object.assign(new http.IncomingMessage(new Socket()), {
    method: "GET",
    url: page.address,
    headers: { host },
  });
  const response = new http.ServerResponse(incoming);
  const reads = new RefusedReads(page.address);
  let failure: { error: unknown; digest: string | undefined } | undefined;
  const own: Site = {
    ...site,
    onError: (_incoming, error, digest) => {
      failure ??= { error, digest };
    },
  };
  const request = new PrerenderRequest(incoming, response, { ...placeOf(own, incoming, page), reads });
  const found = await site.application.find(site.application.match(page.path));
  const facts = { method: "GET", target: page.address, header: () => undefined };
  return site.signals.request(facts, async (signals) => {
    const exchange = { incoming, response, large: site.large };
    const visit = new Visit({ site: own, exchange, request, found, variant: "document", signals });
    visit.onRead = reads.onRead;
    const made = await visitScope.run(visit, async () => {
      const decision = await decideWithoutRequest(visit, {} as Locals);
      const wanted = page.isNotFound ? "not-found" : "page";
      return decision.kind === "view" && decision.view.kind === wanted ? render(visit, decision) : unfit(decision);
    });
    visit.handled();
    await visit.durable;
    if (reads.first) return { kind: "refused", error: reads.first };
    return failure ? { kind: "failed", ...failure } : made;
  });
}

function placeOf(site: Site, incoming: IncomingMessage, { address, path, origin }: PlannedPage) {
  const { visitors, lang, languages } = site;
  const spoken = address.replace(/(.)\/$/, "$1");
  const target: PageTarget = { kind: "page", variant: "document", path: spoken, search: "" };
  const language = languages?.read(incoming, target, origin);
  if (language?.kind === "redirect") throw new Error(`The page ${path} has another address than ${address}.`);
  return { path: spoken, address, search: "", origin, visitors, lang, language };
}

async function render(visit: Visit, shown: ShownView): Promise<MadePage | UnmadePage> {
  visit.request.sealResponse();
  const { status } = shown.view;
  if (status !== 200 && shown.view.kind === "page") return { kind: "other", why: `has the status ${status}` };
  if (visit.request.chosen && visit.request.chosen.headers.size > 0)
    return { kind: "other", why: "sets headers of its response" };
  const rendered = await renderDocument(visit, shown, { nonce: "", whole: true });
  if (rendered.kind === "failed") return { kind: "other", why: "cannot be rendered" };
  const { html, scripts, late } = await wholeDocumentOf(visit, shown, rendered);
  const lines = [...writeDataForEveryone(visit, shown), ...late, '{"kind":"end"}'];
  const [, policy = ""] = withPolicy([], hashPolicyOf(visit.site, scripts));
  return { kind: "made", html, scripts, policy, data: `${lines.join("\n")}\n`, cache: shown.route.cache };
}

function unfit(decision: Decision): UnmadePage {
  if (decision.kind === "redirect") return { kind: "other", why: `redirects to ${decision.to}` };
  return { kind: "other", why: `answers with the status ${decision.view.status}` };
}
