import type { IncomingMessage } from "node:http";
import { sendResponse } from "../answer-api.ts";
import { visitScope } from "../author/visit-scope.ts";
import { showForm } from "../decide-page.ts";
import type { WrittenForm } from "../decision.ts";
import { PageRequest } from "../page-request.ts";
import { type RequestTarget, readTarget } from "../read-target.ts";
import { sendDocument } from "../send/send-document.ts";
import type { Site } from "../site.ts";
import { Visit } from "../visit.ts";

/** The page that has the form, if the action belongs to another one. */
export type PageOfForm = Extract<RequestTarget, { kind: "page" }>;

/** Longer addresses than any browser sends; the text comes from outside. */
const addressCharacters = 8_192;

/**
 * Reads where the form of another page's action is. It comes from outside, so it must be the address of a page in its
 * one spelling: such an address begins with one slash and cannot leave this origin.
 */
export function readPageOfForm(
  { application }: Site,
  { headers }: IncomingMessage,
  text: string | undefined,
): PageOfForm | undefined {
  if (text === undefined || text.length > addressCharacters) return undefined;
  const target = readTarget({ headers, url: text }, application.parts.trailingSlash);
  return target.kind === "page" && target.variant === "document" ? target : undefined;
}

/** What the response has besides the page: the outcome, its status, and cookies of the framework. */
export interface FormAnswer {
  form: WrittenForm;
  status: number;
  prepare(visit: Visit): void;
}

/**
 * Answers a post by the page that has the form, with its outcome: a visit of its own in the same exchange. Hook and
 * guards of that page run, as if the visitor had come to it.
 */
export async function sendPageOfForm(visit: Visit, place: PageOfForm, answer: FormAnswer): Promise<void> {
  const { site, exchange, signals } = visit;
  const { incoming, origin } = visit.request;
  await visit.durable;
  const language = site.languages?.read(incoming, { ...place, kind: "action", action: "" }, origin);
  const spoken = language?.kind === "spoken" ? language : undefined;
  const path = spoken?.path ?? place.path;
  const { visitors, lang } = site;
  const request = new PageRequest(incoming, exchange.response, { ...place, origin, visitors, lang, language: spoken });
  for (const [name, line] of visit.request.cookieLines()) request.cookies.restore(name, line);
  const found = await site.application.find(site.application.match(site.application.findRule(path)?.path ?? path));
  const shown = new Visit({ site, exchange, request, found, variant: "action", signals });
  shown.isElsewhere = true;
  answer.prepare(shown);
  await visitScope.run(shown, async () => {
    const decided = await showForm(shown, answer.form, answer.status);
    if (decided.kind === "answered") return sendResponse(shown, decided.response);
    return sendDocument(shown, await decided.decision);
  });
  shown.handled();
}
